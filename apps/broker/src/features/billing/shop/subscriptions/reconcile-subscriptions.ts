import { writeAudit } from '#platform/audit/audit-log.ts';
import type { ShopParts } from '../shop-parts.ts';
import { comparePaid, countBalances } from './compare-paid.ts';
import { endAtProvider } from './ends/end-at-provider.ts';
import { forEachSubscription } from './ends/for-each-subscription.ts';

const pageSize = 100;
type Row = { payment_id: string; state: string };

/** All subscriptions, each with all its fields as a text. */
const paidText = `(
  select payment_id, livemode, ended_at, to_jsonb(s)::text as state from subscriptions s where payment_id is not null
  union all
  select payment_id, livemode, ended_at, to_jsonb(g)::text from access_grants g where payment_id is not null) as paid`;

/**
 * Refetches every subscription that is not over at the payment provider. A difference means that no event of the change reached
 * us: it raises an alarm, with a row of the audit log.
 * @returns how many differed
 */
export async function reconcileSubscriptions(
  parts: Pick<ShopParts, 'db' | 'provider' | 'sync' | 'clock' | 'log'>,
): Promise<number> {
  const { db, provider, sync, clock, log } = parts;
  let drifted = 0;
  let after = '';
  for (;;) {
    const { rows } = await db.query<Row>(
      `select payment_id, state from ${paidText}
       where livemode = $1 and ended_at is null and payment_id > $2 order by payment_id limit $3`,
      [provider.livemode, after, pageSize],
    );
    for (const { payment_id: id, state } of rows) {
      await sync(id);
      const { rows: again } = await db.query<Row>(`select state from ${paidText} where payment_id = $1`, [id]);
      if (again[0]?.state === state || isFirstPrice(state, again[0]?.state)) continue;
      drifted += 1;
      log.error({ subscription: id }, 'a subscription had changed at the payment provider without an event');
      await writeAudit(
        db.kysely,
        {
          actorId: undefined,
          action: 'subscription.found-by-reconciler',
          subject: id,
          details: changesOf(state, again[0]?.state),
        },
        new Date(clock.now()),
      );
    }
    const last = rows.at(-1);
    if (rows.length < pageSize || !last) break;
    after = last.payment_id;
  }
  return drifted + (await reportDifferences(parts));
}

/** Reports what the readings do not show: paid plans and credits that users do not have, and balances at the provider. */
async function reportDifferences(parts: Pick<ShopParts, 'db' | 'provider' | 'clock' | 'log'>): Promise<number> {
  const { db, provider, clock, log } = parts;
  const at = new Date(clock.now());
  const differences = await comparePaid(db.query, provider.livemode, at);
  for (const { providerSubscriptionId, ...details } of differences) {
    log.error(
      { subscription: providerSubscriptionId, ...details },
      'what was paid for a subscription is not what was given',
    );
    const action = 'subscription.paid-not-given';
    await writeAudit(db.kysely, { actorId: undefined, action, subject: providerSubscriptionId, details }, at);
  }
  for (const balances of await countBalances(db.query, provider.livemode))
    log.warn(balances, 'customers have a balance at the payment provider');
  return differences.length;
}

/** Whether only the price differs, because it was read for the first time. */
function isFirstPrice(before: string, after: string | undefined): boolean {
  const changes = Object.entries(changesOf(before, after));
  return changes.every(([name, { was }]) => was === null && name.startsWith('price_'));
}

function changesOf(before: string, after: string | undefined): Record<string, { was: unknown; is: unknown }> {
  const [was, is] = [before, after ?? '{}'].map((text) => new Map<string, unknown>(Object.entries(JSON.parse(text))));
  const names = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])];
  const differing = names.filter((name) => JSON.stringify(was?.get(name)) !== JSON.stringify(is?.get(name)));
  return Object.fromEntries(
    differing.map((name) => [name, { was: was?.get(name) ?? null, is: is?.get(name) ?? null }]),
  );
}

/**
 * Ends subscriptions at the provider that were removed here, such as with an account: they would renew, and be charged.
 * @throws SoukError payments_unavailable: the next run continues
 */
export async function endRevoked(parts: Pick<ShopParts, 'db' | 'provider' | 'sync' | 'locks' | 'log'>): Promise<void> {
  const { db, provider, log } = parts;
  const { rows } = await db.query<Row>(
    `select payment_id from ${paidText} join subscription_syncs using (payment_id)
     where livemode = $1 and ended_at is not null and not is_over limit $2`,
    [provider.livemode, pageSize],
  );
  const ids = rows.map((row) => row.payment_id);
  await forEachSubscription(parts, ids, 'a removed subscription could not be canceled', async (id, lock) => {
    if (await endAtProvider(parts, id, { lock }))
      log.info({ subscription: id }, 'a removed subscription was canceled at the payment provider');
  });
}
