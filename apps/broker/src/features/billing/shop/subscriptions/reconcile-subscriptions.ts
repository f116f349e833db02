import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { writeAudit } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { isChangeUnderWay, type PurchaseLocks } from '../changes/purchase-locks.ts';
import { endAtProvider } from './ends/end-at-provider.ts';
import { comparePaid, countBalances } from './compare-paid.ts';
import type { SyncSubscription } from './sync-subscription.ts';

const pageSize = 100;
type Given = {
  db: Pick<Database, 'query' | 'kysely'>;
  provider: PaymentProvider;
  sync: SyncSubscription;
  clock: Clock;
  log: Log;
};
type Row = { payment_id: string; state: string };

/** All subscriptions, with all facts of each as a text. */
const paidText = `(
  select payment_id, livemode, ended_at, to_jsonb(s)::text as state from subscriptions s where payment_id is not null
  union all
  select payment_id, livemode, ended_at, to_jsonb(g)::text from access_grants g where payment_id is not null) as paid`;

/**
 * Reads every subscription that is not over at the payment provider again. One that differs was changed without an event that
 * reached us: that is an alarm, and a row of the audit log.
 * @returns how many differed
 */
export async function reconcileSubscriptions({ db, provider, sync, clock, log }: Given): Promise<number> {
  let drifted = 0;
  let after = '';
  for (;;) {
    const { rows } = await db.query<Row>(
      `select payment_id, state from ${paidText}
       where livemode = $1 and ended_at is null and payment_id > $2 order by payment_id limit $3`,
      [provider.livemode, after, pageSize],
    );
    for (const { payment_id: paymentId, state } of rows) {
      await sync(paymentId);
      const { rows: again } = await db.query<Row>(`select state from ${paidText} where payment_id = $1`, [paymentId]);
      if (again[0]?.state === state || isFirstPrice(state, again[0]?.state)) continue;
      drifted += 1;
      log.error({ subscription: paymentId }, 'a subscription had changed at the payment provider without an event');
      await writeAudit(
        db.kysely,
        {
          actorId: undefined,
          action: 'subscription.found-by-reconciler',
          subject: paymentId,
          details: changesOf(state, again[0]?.state),
        },
        new Date(clock.now()),
      );
    }
    const last = rows.at(-1);
    if (rows.length < pageSize || !last) break;
    after = last.payment_id;
  }
  return drifted + (await tellDifferences({ db, provider, clock, log }));
}

/** What the readings alone do not show: whether what was paid is given, and what the provider keeps for people. */
async function tellDifferences({ db, provider, clock, log }: Omit<Given, 'sync'>): Promise<number> {
  const at = new Date(clock.now());
  const differences = await comparePaid(db.query, provider.livemode, at);
  for (const { paymentId, ...details } of differences) {
    log.error({ subscription: paymentId, ...details }, 'what was paid for a subscription is not what was given');
    const action = 'subscription.paid-not-given';
    await writeAudit(db.kysely, { actorId: undefined, action, subject: paymentId, details }, at);
  }
  for (const balances of await countBalances(db.query, provider.livemode))
    log.warn(balances, 'customers have a balance at the payment provider');
  return differences.length;
}

/** Whether all that differs is its price, which is read for the first time. */
function isFirstPrice(before: string, after: string | undefined): boolean {
  const changes = Object.entries(changesOf(before, after));
  return changes.every(([name, { was }]) => was === null && name.startsWith('price_'));
}

/** The fields that differ, as they were and as they are. */
function changesOf(before: string, after: string | undefined): Record<string, { was: unknown; is: unknown }> {
  const [was, is] = [before, after ?? '{}'].map((text) => new Map<string, unknown>(Object.entries(JSON.parse(text))));
  const names = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])];
  const differing = names.filter((name) => JSON.stringify(was?.get(name)) !== JSON.stringify(is?.get(name)));
  return Object.fromEntries(
    differing.map((name) => [name, { was: was?.get(name) ?? null, is: is?.get(name) ?? null }]),
  );
}

/**
 * Ends at the provider what was taken away here, as when an account was deleted: it would renew, and be charged, otherwise.
 * @throws SoukError payments_unavailable: the next run goes on
 */
export async function endTakenAway({
  db,
  provider,
  sync,
  locks,
  log,
}: Given & { locks: PurchaseLocks }): Promise<void> {
  const { rows } = await db.query<Row>(
    `select payment_id from ${paidText} join subscription_syncs using (payment_id)
     where livemode = $1 and ended_at is not null and not is_over limit $2`,
    [provider.livemode, pageSize],
  );
  for (const { payment_id: paymentId } of rows) {
    try {
      const isEnded = await locks.runFor(paymentId, (lock) => endAtProvider({ provider, sync }, paymentId, { lock }));
      if (isEnded)
        log.info(
          { subscription: paymentId },
          'a subscription that was taken away was canceled at the payment provider',
        );
    } catch (error) {
      // the next run comes back to it
      if (isChangeUnderWay(error)) continue;
      // one that the provider refuses to end must not keep the others running
      if (!isRefusal(error)) throw error;
      log.error({ err: error, subscription: paymentId }, 'a subscription that was taken away could not be canceled');
    }
  }
}
