import { eraseAddressInAudit } from '#platform/audit/erased-reasons.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { AccountContributors } from './account-contributors.ts';
import type { AnnounceEnds } from './announce-ends.ts';
import { endAccess } from './end-access.ts';

export type DeletionParts = {
  db: Database;
  clock: Clock;
  log: Log;
  contributors: AccountContributors;
  announceEnds: AnnounceEnds;
};

/**
 * Deletes an account: in one transaction its sign-ins end and every contributor forgets what it kept, so the e-mail and
 * the provider's account are free again. The bare row stays for what must be kept, marked as deleted; in the reasons that
 * administrators gave, the address becomes `[erased]`.
 * @param first runs at the start of the transaction, such as an administrator's checks and audit row
 * @throws SoukError unauthenticated when the account no longer exists; the error of a contributor, and then nothing was
 *   deleted
 */
export async function deleteAccount(
  parts: DeletionParts,
  userId: string,
  first: (query: Query) => Promise<void> = async () => {},
): Promise<void> {
  // Later features stand on earlier ones: theirs goes first.
  const contributors = parts.contributors.all().toReversed();
  const ended = await parts.db.transaction(async (query) => {
    await first(query);
    const { rows } = await query<{ email: string }>(
      `update users set deleted_at = $2, is_active = false where id = $1 and deleted_at is null returning email`,
      [userId, new Date(parts.clock.now())],
    );
    const [user] = rows;
    if (!user) throw new SoukError('unauthenticated');
    const tokenIds = await endAccess(query, userId);
    for (const contributor of contributors) await contributor.erase(userId, query, user.email);
    await eraseAddressInAudit(query, user.email);
    return tokenIds;
  });
  await parts.announceEnds(userId, ended);
  for (const { name, afterErase } of contributors) {
    await afterErase?.(userId).catch((error: unknown) => {
      parts.log.error({ err: error, part: name, userId }, 'a deleted account left something behind');
    });
  }
}
