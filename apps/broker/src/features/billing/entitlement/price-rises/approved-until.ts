const maxUsers = 10_000;
const maxToolsOfUser = 1_000;

/**
 * Caches the time up to which a user is known to agree with the price of a tool: earlier rises need no question. The time only
 * grows, so a cached one stays valid; an unknown one is read from the database.
 */
export type ApprovedUntil = {
  get(userId: string, serverId: string, tool: string): number;
  set(userId: string, serverId: string, tool: string, atMs: number): void;
};

export function createApprovedUntil(): ApprovedUntil {
  const users = new Map<string, Map<string, number>>();
  /** Unambiguous, because server ids have no spaces. */
  const keyOf = (serverId: string, tool: string) => `${serverId} ${tool}`;
  return {
    get: (userId, serverId, tool) => users.get(userId)?.get(keyOf(serverId, tool)) ?? -Infinity,
    set(userId, serverId, tool, atMs) {
      const known = users.get(userId);
      if (known && known.size < maxToolsOfUser) {
        known.set(keyOf(serverId, tool), atMs);
        return;
      }
      if (users.size >= maxUsers) users.clear();
      users.set(userId, new Map([[keyOf(serverId, tool), atMs]]));
    },
  };
}
