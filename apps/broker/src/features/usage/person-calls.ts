import { listLedgerCalls, listPersonCalls } from '@souk/contract/admin/person.ts';
import { readLedgerCalls } from '#features/billing/index.ts';
import type { UserDirectory } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import { readCalls, readCallsById, type NameClients } from './read-calls.ts';

/** How much the clocks of a broker and the database may differ. */
const clocksDifferMs = 5 * 60_000;
/** How long before its charge a call may have begun, if its id does not contain the time. */
const longestCallMs = 86_400_000;

/** Serves a user's calls for administrators, as the user sees them. */
export function mountPersonCalls(
  router: Router,
  parts: { query: Query; directory: Pick<UserDirectory, 'find'>; nameClients: NameClients; livemode: boolean },
): void {
  const { query, directory, nameClients, livemode } = parts;

  async function find(userId: string): Promise<string> {
    const user = await directory.find(userId);
    if (!user) throw new SoukError('not_found', { message: 'There is no such user' });
    return user.id;
  }

  router.route(listPersonCalls, async ({ params, query: filter }) => ({
    success: true as const,
    ...(await readCalls(query, await find(params.id), filter, nameClients)),
  }));

  router.route(listLedgerCalls, async ({ params }) => {
    const userId = await find(params.id);
    const entry = await readLedgerCalls(query, { userId, livemode }, Number(params.entryId));
    if (!entry) throw new SoukError('not_found', { message: 'This user has no such entry' });
    const first = Math.min(...entry.calls.map((id) => beganAtMs(id) ?? entry.at.getTime() - longestCallMs));
    const period = {
      from: new Date(Math.min(first, entry.at.getTime()) - clocksDifferMs),
      to: new Date(entry.at.getTime() + clocksDifferMs),
    };
    return { success: true as const, calls: await readCallsById(query, userId, entry.calls, period, nameClients) };
  });
}

/** A UUIDv7 begins with its time (RFC 9562, section 5.7). */
const beganAtMs = (id: string): number | undefined =>
  id[14] === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
