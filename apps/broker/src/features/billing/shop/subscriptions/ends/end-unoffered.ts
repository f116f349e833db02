import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { noteNotice } from '#platform/notices/outbox.ts';
import { readOwnedServer } from '../../../entitlement/read-owned-servers.ts';
import { isChangeUnderWay, type PurchaseLocks } from '../../changes/purchase-locks.ts';
import { setEnd } from './set-end.ts';
import type { SyncSubscription } from '../sync-subscription.ts';
import { wantEnd } from './want-end.ts';

const pageSize = 100;

const renewing = `kind = 'rental' and livemode = $1 and payment_id is not null and cancelled_at is null and ended_at is null`;

/**
 * Lets the rentals of servers that were undeployed end with the period that is paid, so that people do not pay on for a server
 * that is gone. Deploying the server again changes nothing, also where the provider has not heard of it yet: a person may resume
 * the rental then. Does nothing a second time.
 * @throws SoukError payments_unavailable: the next run goes on
 */
export async function endUnoffered(given: {
  query: Query;
  catalogue: Pick<Catalogue, 'snapshot' | 'versions'>;
  provider: PaymentProvider;
  sync: SyncSubscription;
  locks: PurchaseLocks;
  clock: Clock;
  log: Log;
}): Promise<void> {
  const { query, catalogue, provider, log } = given;
  const { rows: rented } = await query<{ server_id: string }>(
    `select distinct server_id from access_grants where ${renewing}`,
    [provider.livemode],
  );
  for (const { server_id: serverId } of rented) {
    if (catalogue.snapshot().byId.has(serverId)) continue;
    // what this broker has in memory may be older than a deployment by another one
    if ((await catalogue.versions(serverId)).some(({ status }) => status === 'deployed')) continue;
    const { name } = await readOwnedServer(catalogue, serverId);
    const ended = await endRentals(given, serverId, name);
    log.info({ server: serverId, rentals: ended }, 'rentals of a server that is not offered any more are not renewed');
  }
}

async function endRentals(
  given: Parameters<typeof endUnoffered>[0],
  serverId: string,
  service: string,
): Promise<number> {
  const { query, provider, clock, log } = given;
  const { rows: all } = await query<{ payment_id: string }>(
    `select payment_id from access_grants where ${renewing} and server_id = $2`,
    [provider.livemode, serverId],
  );
  await wantEnd(
    query,
    all.map((row) => row.payment_id),
  );
  let ended = 0;
  for (let after = ''; ;) {
    const { rows } = await query<{ payment_id: string; user_id: string; period_ends_at: Date }>(
      `select payment_id, user_id, period_ends_at from access_grants where ${renewing} and server_id = $2 and payment_id > $3
       order by payment_id limit $4`,
      [provider.livemode, serverId, after, pageSize],
    );
    for (const { payment_id: paymentId, user_id: userId, period_ends_at: endsAt } of rows) {
      // first, since a rental that has its end is not found by the next run
      const facts = { service, endsAt: endsAt.toISOString() };
      const event = `${paymentId}:${endsAt.getTime()}`;
      await noteNotice(query, { kind: 'service_undeployed', userId, event, facts }, new Date(clock.now()));
      try {
        const isEnded = await given.locks.runFor(paymentId, async (lock) => {
          // another broker heard of the undeployment too
          if (!(await isRenewing(query, paymentId, provider.livemode))) return false;
          await setEnd(given, paymentId, true, lock);
          return true;
        });
        if (isEnded) ended += 1;
      } catch (error) {
        // the next run comes back to it
        if (isChangeUnderWay(error)) continue;
        if (!isRefusal(error)) throw error;
        log.error({ err: error, subscription: paymentId }, 'a rental that is not offered any more could not be ended');
      }
    }
    const last = rows.at(-1);
    if (rows.length < pageSize || !last) return ended;
    after = last.payment_id;
  }
}

async function isRenewing(query: Query, paymentId: string, livemode: boolean): Promise<boolean> {
  const { rows } = await query(`select from access_grants where ${renewing} and payment_id = $2`, [
    livemode,
    paymentId,
  ]);
  return rows.length > 0;
}
