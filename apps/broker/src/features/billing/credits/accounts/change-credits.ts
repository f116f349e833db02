import type { Query } from '#platform/db/database.ts';
import { readRow } from '../../read-rows.ts';
import { burnLots, tidyAccounts, type Livemode } from './accounts.ts';
import { askForLeases } from '../leases/ask-for-leases.ts';

/** Sources of credits, in the order in which they are spent. */
export type LotSource = 'plan' | 'promotional' | 'purchased';

export class LedgerConflict extends Error {
  readonly code: 'key_used' | 'changed_since_shown' | 'credits_held';
  constructor(code: LedgerConflict['code'], message: string) {
    super(message);
    this.name = 'LedgerConflict';
    this.code = code;
  }
}

type Change = {
  userId: string;
  livemode: Livemode;
  /** Idempotency key, such as `stripe:cs_1:fulfil`: it changes credits once, however often it is used. */
  idem: string;
  reason?: string | undefined;
};
export type CreditGrant = Change & { credits: number; source: LotSource; expiresAt?: Date | undefined };
export type ClawBack = Change & {
  credits: number;
  contra: 'refund' | 'dispute';
  /**
   * The `idem` of the grant that is clawed back: never more than it granted, even if its payment is both refunded and disputed,
   * and no credits that expired unspent.
   */
  grant: string;
};
export type NewBalance = Change & {
  credits: number;
  /** The balance that the administrator saw. */
  expectedBalance?: number | undefined;
};

type Account = {
  balance: number;
  held: number;
  debt: number;
  /** Set if the user was erased: credits added to the account expire at once. */
  expiry: Date | undefined;
};

/**
 * Adds credits, which repay debt first. Runs in the transaction of their payment.
 * @returns the credits added; 0 when this key had added them before
 * @throws LedgerConflict key_used when another change has this `idem`
 */
export async function grantCredits(query: Query, grant: CreditGrant): Promise<number> {
  const account = await lockAccount(query, grant);
  if (await wasDone(query, grant, grant.source, grant.credits)) return 0;
  await addLot(query, account, grant, grant.source);
  return grant.credits;
}

/**
 * Claws back credits of a grant after a refund or a dispute: what is free at once, and the rest, which was spent or is held, as
 * debt. Asks brokers for the leases of the account, so that what they do not use repays it.
 * @returns the credits taken; 0 when this key had taken them before or nothing of the grant is left
 * @throws LedgerConflict key_used when another change has this `idem`
 */
export async function clawBackCredits(query: Query, change: ClawBack): Promise<number> {
  const { userId, livemode } = change;
  const account = await lockAccount(query, change);
  if (await wasDone(query, change, change.contra)) return 0;
  const lot = await readRow<{ id: string; remaining: number; takeable: number }>(
    query,
    `select id, remaining, granted - clawed - expired as takeable from credit_lots
     where idem = $1 and user_id = $2 and livemode = $3`,
    [change.grant, userId, livemode],
  );
  const credits = Math.min(change.credits, lot?.takeable ?? 0);
  if (!lot || credits === 0) return 0;
  const taken = Math.min(credits, account.balance - account.held);
  const ofLot = Math.min(lot.remaining, taken);
  await query(`update credit_lots set clawed = clawed + $2, remaining = remaining - $3 where id = $1`, [
    lot.id,
    credits,
    ofLot,
  ]);
  await takeCredits(
    query,
    account,
    { ...change, credits },
    { contra: change.contra, taken, ofOtherLots: taken - ofLot },
  );
  await askForLeases(query, livemode, [userId]);
  return credits;
}

/**
 * Sets the balance to an administrator's figure; an increase is a promotional lot.
 * @returns by how much the balance changed
 * @throws LedgerConflict changed_since_shown when it is not what the administrator saw, credits_held when calls under way hold
 *   more than the figure
 */
export async function setCredits(query: Query, change: NewBalance): Promise<number> {
  const account = await lockAccount(query, change);
  if (await wasDone(query, change, 'adjustment')) return 0;
  if (change.expectedBalance !== undefined && change.expectedBalance !== account.balance) {
    throw new LedgerConflict('changed_since_shown', `The balance is ${account.balance} now.`);
  }
  if (change.credits < account.held) {
    throw new LedgerConflict('credits_held', `Calls under way hold ${account.held} credits.`);
  }
  const delta = change.credits - account.balance + account.debt;
  if (delta > 0) await addLot(query, account, { ...change, credits: delta, source: 'promotional' }, 'adjustment');
  else if (delta < 0) {
    const taken = { contra: 'adjustment', taken: -delta, ofOtherLots: -delta };
    await takeCredits(query, account, { ...change, credits: -delta }, taken);
  }
  return delta;
}

/** Waits for the lock: unlike a batch, the caller has nothing else to do in the meantime. */
async function lockAccount(query: Query, { userId, livemode }: Change): Promise<Account> {
  await query(`insert into credit_accounts (user_id, livemode) values ($1, $2) on conflict do nothing`, [
    userId,
    livemode,
  ]);
  const where = 'where user_id = $1 and livemode = $2';
  await query(`select from credit_accounts ${where} for no key update`, [userId, livemode]);
  await tidyAccounts(query, livemode, [userId]);
  const account = await readRow<Account>(
    query,
    `select balance, held, debt, case when closed then now() end as expiry from credit_accounts ${where}`,
    [userId, livemode],
  );
  if (!account) throw new Error(`the credit account of ${userId} is missing`);
  return account;
}

/** Whether this key has changed the account before. @param delta the change that it must have made, if that is certain */
async function wasDone(query: Query, { userId, livemode, idem }: Change, contra: string, delta?: number) {
  const entry = await readRow<{ isSame: boolean }>(
    query,
    `select user_id = $2 and livemode = $3 and contra = $4 and delta = coalesce($5::bigint, delta) as "isSame"
     from ledger_entries where idem = $1`,
    [idem, userId, livemode, contra, delta ?? null],
  );
  if (entry && !entry.isSame) throw new LedgerConflict('key_used', `${idem} has changed credits in another way.`);
  return entry !== undefined;
}

async function addLot(query: Query, account: Account, grant: CreditGrant, contra: string): Promise<void> {
  const { userId, livemode, idem, credits, source } = grant;
  const expiresAt = account.expiry ?? grant.expiresAt;
  const repaid = Math.min(account.debt, credits);
  await query(
    `insert into credit_lots (id, user_id, livemode, source, idem, granted, remaining, expires_at)
     values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7)`,
    [userId, livemode, source, idem, credits, credits - repaid, expiresAt ?? null],
  );
  await query(
    `update credit_accounts set balance = balance + $3, debt = debt - $4, next_expiry = least(next_expiry, $5::timestamptz)
     where user_id = $1 and livemode = $2`,
    [userId, livemode, credits - repaid, repaid, expiresAt ?? null],
  );
  await writeEntry(query, account, grant, contra, credits);
}

async function takeCredits(
  query: Query,
  account: Account,
  change: Change & { credits: number },
  { contra, taken, ofOtherLots }: { contra: string; taken: number; ofOtherLots: number },
): Promise<void> {
  const { userId, livemode, credits } = change;
  await query(
    `with burns (user_id, credits) as (values ($2::uuid, $3::bigint)), ${burnLots('$1')}
     update credit_accounts set balance = balance - $4, debt = debt + $5 where user_id = $2 and livemode = $1`,
    [livemode, userId, ofOtherLots, taken, credits - taken],
  );
  await writeEntry(query, account, change, contra, -credits);
}

async function writeEntry(query: Query, account: Account, change: Change, contra: string, delta: number) {
  const { userId, livemode, idem, reason } = change;
  await query(
    `insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem, reason)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [userId, livemode, delta, contra, account.balance - account.debt + delta, idem, reason ?? null],
  );
}
