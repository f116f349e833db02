import type { Query } from '#platform/db/database.ts';
import { queueNotice } from '#platform/notices/outbox.ts';
import { readOwnedServer } from '../../../entitlement/read-owned-servers.ts';
import type { ShopParts } from '../../shop-parts.ts';
import { forEachSubscription } from './for-each-subscription.ts';
import { setEnd } from './set-end.ts';
import { wantEnd } from './want-end.ts';

const pageSize = 100;

const renewing = `kind = 'rental' and livemode = $1 and payment_id is not null and cancelled_at is null and ended_at is null`;

type UnofferedParts = Pick<ShopParts, 'db' | 'catalogue' | 'provider' | 'sync' | 'locks' | 'clock' | 'log'>;

/**
 * Ends the rentals of undeployed servers with the period that is paid, so that users do not go on paying for a server that no
 * longer exists. Deploying the server again changes nothing, even if the provider does not know of the end yet: users may
 * resume their rental then. Repeatable.
 * @throws SoukError payments_unavailable: the next run continues
 */
export async function endUnoffered(parts: UnofferedParts): Promise<void> {
  const { db, catalogue, provider, log } = parts;
  const { rows: rented } = await db.query<{ server_id: string }>(
    `select distinct server_id from access_grants where ${renewing}`,
    [provider.livemode],
  );
  for (const { server_id: serverId } of rented) {
    if (catalogue.snapshot().byId.has(serverId)) continue;
    // this broker's memory may be older than a deployment by another one
    if ((await catalogue.versions(serverId)).some(({ status }) => status === 'deployed')) continue;
    const { name } = await readOwnedServer(catalogue, serverId);
    const ended = await endRentals(parts, serverId, name);
    log.info({ server: serverId, rentals: ended }, 'rentals of a server that is no longer offered will not be renewed');
  }
}

async function endRentals(parts: UnofferedParts, serverId: string, service: string): Promise<number> {
  const { db, provider, clock } = parts;
  const { rows: all } = await db.query<{ payment_id: string }>(
    `select payment_id from access_grants where ${renewing} and server_id = $2`,
    [provider.livemode, serverId],
  );
  await wantEnd(
    db.query,
    all.map((row) => row.payment_id),
  );
  let ended = 0;
  for (let after = ''; ;) {
    const { rows } = await db.query<{ payment_id: string; user_id: string; period_ends_at: Date }>(
      `select payment_id, user_id, period_ends_at from access_grants where ${renewing} and server_id = $2 and payment_id > $3
       order by payment_id limit $4`,
      [provider.livemode, serverId, after, pageSize],
    );
    for (const { payment_id: providerSubscriptionId, user_id: userId, period_ends_at: endsAt } of rows) {
      // queued first, because the next run does not find a rental whose end is set
      const facts = { service, endsAt: endsAt.toISOString() };
      const event = `${providerSubscriptionId}:${endsAt.getTime()}`;
      await queueNotice(db.query, { kind: 'service_undeployed', userId, event, facts }, new Date(clock.now()));
      const refusal = 'a rental that is no longer offered could not be ended';
      await forEachSubscription(parts, [providerSubscriptionId], refusal, async (id, lock) => {
        // another broker learned of the undeployment too
        if (!(await isRenewing(db.query, id, provider.livemode))) return;
        await setEnd(parts, id, true, lock);
        ended += 1;
      });
    }
    const last = rows.at(-1);
    if (rows.length < pageSize || !last) return ended;
    after = last.payment_id;
  }
}

async function isRenewing(query: Query, providerSubscriptionId: string, livemode: boolean): Promise<boolean> {
  const { rows } = await query(`select from access_grants where ${renewing} and payment_id = $2`, [
    livemode,
    providerSubscriptionId,
  ]);
  return rows.length > 0;
}
