const maxPeople = 10_000;
const maxToolsOfPerson = 1_000;

/**
 * Until when a person is known to agree with the price of a tool: no rise before that is asked again. In memory, as it only
 * ever grows; what is not known is read.
 */
export type ApprovedUntil = {
  get(userId: string, serverId: string, tool: string): number;
  set(userId: string, serverId: string, tool: string, atMs: number): void;
};

export function createApprovedUntil(): ApprovedUntil {
  const people = new Map<string, Map<string, number>>();
  /** An id of a server has no space. */
  const keyOf = (serverId: string, tool: string) => `${serverId} ${tool}`;
  return {
    get: (userId, serverId, tool) => people.get(userId)?.get(keyOf(serverId, tool)) ?? -Infinity,
    set(userId, serverId, tool, atMs) {
      const known = people.get(userId);
      if (known && known.size < maxToolsOfPerson) {
        known.set(keyOf(serverId, tool), atMs);
        return;
      }
      if (people.size >= maxPeople) people.clear();
      people.set(userId, new Map([[keyOf(serverId, tool), atMs]]));
    },
  };
}
