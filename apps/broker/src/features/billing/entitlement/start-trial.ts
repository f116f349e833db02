import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import { readOwned } from './access-store.ts';
import { accessTo } from './access-to.ts';
import type { TrialAddresses } from './trial-addresses.ts';

const dayMs = 24 * 60 * 60_000;

export type AccessParts = {
  db: Database;
  livemode: boolean;
  emailOf(userId: string): Promise<string | undefined>;
  trialAddresses: TrialAddresses;
  clock: Clock;
  uuid: () => string;
  log: Log;
};

/**
 * Starts the trial that a server's manifest offers.
 * @throws SoukError invalid_request where it offers none; has_access where the user has access already; trial_used where this
 *   user, or another account of their address, has had a trial of this server
 */
export async function startTrial(
  { db, livemode, emailOf, trialAddresses, uuid, clock }: AccessParts,
  userId: string,
  server: CatalogueServer,
): Promise<void> {
  const { name, billing } = server.manifest;
  if (billing?.trialDays === undefined) throw new SoukError('invalid_request', { message: `${name} offers no trial` });
  const now = clock.now();
  const { type } = accessTo(server, await readOwned(db.query, livemode, userId), now);
  if (type !== 'none' && type !== 'trial')
    throw new SoukError('has_access', { message: `You have access to ${name} already` });
  const address = await emailOf(userId);
  if (address === undefined) throw new SoukError('not_found');
  const [startsAt, endsAt] = [new Date(now), new Date(now + billing.trialDays * dayMs)];
  const id = uuid();
  const isNew = await db.transaction(async (query) => {
    // if two accounts of one address start at the same time, the second waits here for the first
    if (!(await trialAddresses.note(query, address, server.id))) return false;
    const { rows } = await query(
      `insert into access_grants (id, user_id, livemode, server_id, kind, source, started_at, period_ends_at)
       values ($1, $2, $3, $4, 'trial', 'person', $5, $6)
       on conflict (user_id, server_id, livemode) where kind = 'trial' do nothing returning id`,
      [id, userId, livemode, server.id, startsAt, endsAt],
    );
    return rows.length === 1;
  });
  if (isNew) return;
  const message = `Your e-mail address has had the trial of ${name}. Each address gets it once.`;
  throw new SoukError('trial_used', { message });
}
