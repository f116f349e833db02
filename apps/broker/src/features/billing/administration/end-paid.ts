import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import { writeAuditsWith, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Query } from '#platform/db/database.ts';
import { readRows } from '../read-rows.ts';
import { readOwnedServer } from '../entitlement/read-owned-servers.ts';
import { isRunningSql, runningValues } from '../entitlement/running-sql.ts';
import { withPatience } from '../shop/checkout/patience.ts';
import { wantEnd } from '../shop/subscriptions/ends/want-end.ts';
import type { AdministrationParts } from './administration-parts.ts';
import { endAccess } from './end-access.ts';
import { endAtProvider, removalEntry, type AtProvider } from './remove-access.ts';

/** A plan or rental that ends because of a decision about its user. */
export type EndingAccess = { id: string; name: string; endsAt: string | null; atProvider: AtProvider };

/**
 * Ends a user's plans and rentals: all of them now, or those that renew at the end of the paid period. Nothing is refunded, and
 * the user's open payment pages are closed. A job retries where the provider does not answer.
 */
export async function endPaid(
  parts: AdministrationParts,
  userId: string,
  { now }: { now: boolean },
  by: DecidedBy,
): Promise<EndingAccess[]> {
  const ending = now ? await endAllNow(parts, userId, by) : await endWithPeriods(parts, userId, by);
  await closePages(parts, userId);
  return ending;
}

async function endAllNow(parts: AdministrationParts, userId: string, by: DecidedBy): Promise<EndingAccess[]> {
  const { db, livemode, clock, access } = parts;
  const nowMs = clock.now();
  const ended = await db.transaction(async (query) => {
    const found = await endAccess(query, { livemode, nowMs }, { userId, all: 'plans and rentals' });
    const entries = found.map((one) => removalEntry(one, by, { livemode, isRefunded: false }));
    await writeAuditsWith(query, entries, new Date(nowMs));
    return found;
  });
  await access.announce(userId);
  const nameOf = await namesOf(parts);
  return Promise.all(
    ended.map(async ({ id, kind, of, providerSubscriptionId }) => ({
      id,
      name: await nameOf(kind === 'subscription' ? 'plan' : 'rental', of),
      endsAt: new Date(nowMs).toISOString(),
      atProvider: await endAtProvider(parts, providerSubscriptionId),
    })),
  );
}

type Renewing = {
  id: string;
  kind: 'plan' | 'rental';
  of: string;
  providerSubscriptionId: string;
  endsAt: Date | undefined;
};

const running = isRunningSql({ now: '$3', renewedSince: '$4' });
const renews = `user_id = $1 and livemode = $2 and source = 'payment' and payment_id is not null and cancelled_at is null and ${running}`;

async function endWithPeriods(parts: AdministrationParts, userId: string, by: DecidedBy): Promise<EndingAccess[]> {
  const { db, livemode, clock } = parts;
  const nowMs = clock.now();
  const renewing = await db.transaction(async (query) => {
    const found = await findRenewing(query, userId, livemode, nowMs);
    await wantEnd(
      query,
      found.map((one) => one.providerSubscriptionId),
    );
    const entries = found.map(({ id, kind, of, providerSubscriptionId, endsAt = null }): AuditEntry => ({
      actorId: actorOf(by),
      action: 'access.not-renewed',
      subject: userId,
      reason: by.reason,
      details: { id, type: kind, of, paymentId: providerSubscriptionId, endsAt, sandbox: !livemode, ...operatorOf(by) },
    }));
    await writeAuditsWith(query, entries, new Date(nowMs));
    return found;
  });
  const nameOf = await namesOf(parts);
  return Promise.all(
    renewing.map(async ({ id, kind, of, providerSubscriptionId, endsAt }) => ({
      id,
      name: await nameOf(kind, of),
      endsAt: endsAt?.toISOString() ?? null,
      atProvider: await endWithPeriod(parts, providerSubscriptionId),
    })),
  );
}

function findRenewing(query: Query, userId: string, livemode: boolean, nowMs: number): Promise<Renewing[]> {
  return readRows(
    query,
    `select id, 'plan' as kind, plan_id as of, payment_id as "providerSubscriptionId", period_ends_at as "endsAt"
       from subscriptions where ${renews}
     union all
     select id, 'rental', server_id, payment_id, period_ends_at from access_grants where ${renews} and kind = 'rental'`,
    [userId, livemode, ...runningValues(nowMs)],
  );
}

async function endWithPeriod({ payments, log }: AdministrationParts, id: string): Promise<AtProvider> {
  if (!payments) return 'pending';
  try {
    await withPatience(payments.subscriptions.endWithPeriod(id));
    return 'cancelled';
  } catch (error) {
    log.warn(
      { err: error, subscription: id },
      'a subscription could not be ended with its period yet; a job will retry',
    );
    return 'pending';
  }
}

async function closePages({ db, livemode, payments, log }: AdministrationParts, userId: string): Promise<void> {
  if (!payments) return;
  const { rows } = await db.query<{ session_id: string }>(
    `select session_id from checkout_orders
     where user_id = $1 and livemode = $2 and status = 'open' and session_id is not null`,
    [userId, livemode],
  );
  if (rows.length === 0) return;
  await withPatience(payments.checkout.closePages(rows.map((row) => row.session_id))).catch((error: unknown) =>
    log.warn({ err: error, userId }, 'payment pages are still open; they will expire by themselves'),
  );
}

async function namesOf({ offers, catalogue }: AdministrationParts) {
  const plans = new Map((await offers.plans()).map(({ planId, name }) => [planId, name]));
  return async (kind: 'plan' | 'rental', of: string): Promise<string> =>
    kind === 'plan' ? `${plans.get(of) ?? of} plan` : (await readOwnedServer(catalogue, of)).name;
}
