import { hadAccess } from '#features/billing/index.ts';
import { findFormerServer } from '#features/catalogue/index.ts';
import type { FormerServerOf } from '#features/gateway/index.ts';
import { hasUsed } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';

/** A server that was undeployed, for who rented or used it; nobody else hears that it ever was. */
export function formerServers({ query, clock }: { query: Query; clock: Clock }): FormerServerOf {
  return async (userId, wanted) => {
    const server = await findFormerServer(query, wanted);
    if (!server) return undefined;
    const had = (await hadAccess(query, userId, server.id)) || (await hasUsed(query, userId, server.id, clock.now()));
    return had ? server.name : undefined;
  };
}
