import { writeAuditWith } from '#platform/audit/audit-log.ts';
import { eraseInAudit } from '#platform/audit/erased-reasons.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { Farewell } from '#platform/notices/outbox.ts';
import type { AccountContributors } from './account-contributors.ts';
import type { Revocations } from '../revocations.ts';
import { endAccess } from './end-access.ts';

export type DeletionParts = {
  db: Database;
  clock: Clock;
  log: Log;
  contributors: AccountContributors;
  revocations: Pick<Revocations, 'announce' | 'announcePerson' | 'announceShutOut'>;
  /** Records the id outside the database, in case an earlier backup is restored. */
  recordErasure: (userId: string) => Promise<void>;
  /** Notifies the user, in the transaction of the deletion. */
  queueFarewell: (query: Query, farewell: Farewell) => Promise<void>;
};

type Deletion = {
  /** The account's owner or an administrator; undefined when a restored backup brought a deleted account back. */
  by?: Farewell['by'];
  /** Runs first in the transaction: the audit row, and the checks of an administrator's deletion. */
  first?: (query: Query) => Promise<void>;
};

/**
 * Deletes an account: in one transaction its sign-ins end and every contributor erases its data, which frees the e-mail
 * address and the provider's account. The bare row stays for records that must be kept, marked as deleted. In the
 * reasons that administrators gave, the address becomes `[erased]`.
 * @throws SoukError unauthenticated when the account no longer exists; a contributor's error: then nothing was deleted
 */
export async function deleteAccount(
  parts: DeletionParts,
  userId: string,
  { by, first = async () => {} }: Deletion,
): Promise<void> {
  // features build on earlier ones, so the latest erases first
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
    await eraseInAudit(query, { userId, email: user.email });
    if (by) await parts.queueFarewell(query, { userId, email: user.email, by });
    return tokenIds;
  });
  await parts.revocations.announceShutOut(userId, ended);
  await parts.recordErasure(userId).catch((error: unknown) => {
    parts.log.error({ err: error, userId }, 'a deleted account is not in erased.jsonl: a restore would bring it back');
  });
  for (const { name, afterErase } of contributors) {
    await afterErase?.(userId).catch((error: unknown) => {
      parts.log.error(
        { err: error, part: name, userId },
        'the data of a deleted account outside the database could not be deleted',
      );
    });
  }
}

/** Deletes an account for its owner. The audit row, which outlives it, contains the id alone. */
export function deleteOwnAccount(parts: DeletionParts, userId: string): Promise<void> {
  const entry = { actorId: userId, action: 'user.deleted-own-account', subject: userId } as const;
  const first = (query: Query) => writeAuditWith(query, entry, new Date(parts.clock.now()));
  return deleteAccount(parts, userId, { by: 'owner', first });
}

/** Deletes an account again that a restored backup has brought back, if it exists. */
export async function deleteRestored(parts: DeletionParts, userId: string): Promise<void> {
  try {
    await deleteAccount(parts, userId, {});
  } catch (error) {
    if (!(error instanceof SoukError && error.code === 'unauthenticated')) throw error;
  }
}
