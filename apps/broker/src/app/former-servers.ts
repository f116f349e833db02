import { hadAccess } from '#features/billing/index.ts';
import { findFormerServer } from '#features/catalogue/index.ts';
import type { FormerServerOf } from '#features/gateway/index.ts';
import { hasUsed } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';

/** Names an undeployed server to users who rented or used it. Other users must not learn that it existed. */
export function formerServers({ query, clock }: { query: Query; clock: Clock }): FormerServerOf {
  return async (userId, wanted) => {
    const server = await findFormerServer(query, wanted);
    if (!server) return undefined;
    const had = (await hadAccess(query, userId, server.id)) || (await hasUsed(query, userId, server.id, clock.now()));
    return had ? server.name : undefined;
  };
}
