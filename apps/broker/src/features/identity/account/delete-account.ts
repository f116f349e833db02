import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { AccountContributors } from './account-contributors.ts';
import { endAccess } from './end-access.ts';

/**
 * Deletes an account: in one transaction its sign-ins end and every contributor forgets what it kept, so the e-mail and
 * the provider's account are free again. The bare row stays for what must be kept, marked as deleted.
 * @throws SoukError unauthenticated when the account no longer exists; the error of a contributor, and then nothing was
 *   deleted
 */
export async function deleteAccount(
  options: {
    db: Database;
    clock: Clock;
    log: Log;
    contributors: AccountContributors;
    announce(tokenId: string): Promise<void>;
  },
  userId: string,
): Promise<void> {
  // Later features stand on earlier ones: theirs goes first.
  const contributors = options.contributors.all().toReversed();
  const ended = await options.db.transaction(async (query) => {
    const { rows } = await query(
      `update users set deleted_at = $2, is_active = false where id = $1 and deleted_at is null returning id`,
      [userId, new Date(options.clock.now())],
    );
    if (rows.length === 0) throw new SoukError('unauthenticated');
    const tokenIds = await endAccess(query, userId);
    for (const contributor of contributors) await contributor.erase(userId, query);
    return tokenIds;
  });
  await Promise.all(ended.map((tokenId) => options.announce(tokenId)));
  for (const { name, afterErase } of contributors) {
    await afterErase?.(userId).catch((error: unknown) => {
      options.log.error({ err: error, part: name, userId }, 'a deleted account left something behind');
    });
  }
}
