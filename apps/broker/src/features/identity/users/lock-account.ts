import { actorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { StoredProvider } from './user-provider.ts';
import { isUuid } from './user-store.ts';

/**
 * Locks the rows of an account and of the administrator who changes it until the transaction ends: when two administrators
 * deactivate each other at the same moment, one of them fails. Both rows are locked in one order, against a deadlock.
 * @throws SoukError not_found; unauthenticated when the administrator is deactivated
 */
export async function lockAccount(
  query: Query,
  userId: string,
  by: DecidedBy,
  providers: readonly StoredProvider[],
): Promise<{ email: string; isActive: boolean }> {
  if (!isUuid(userId)) throw noSuchUser();
  const actorId = actorOf(by);
  const { rows } = await query<{ id: string; email: string; is_active: boolean; is_here: boolean }>(
    `select id, email, is_active, deleted_at is null and exists (
       select from identities i where i.user_id = id and ($2::text[] is null or i.provider = any($2))) as is_here
     from users where id = any($1::uuid[]) order by id for update`,
    // the operator reaches the accounts of every provider
    [[userId, ...(actorId === undefined ? [] : [actorId])], actorId === undefined ? null : providers],
  );
  if (actorId !== undefined && !rows.some((row) => row.id === actorId && row.is_active)) {
    throw new SoukError('unauthenticated');
  }
  const found = rows.find((row) => row.id === userId.toLowerCase() && row.is_here);
  if (!found) throw noSuchUser();
  return { email: found.email, isActive: found.is_active };
}

const noSuchUser = () => new SoukError('not_found', { message: 'There is no such user' });
