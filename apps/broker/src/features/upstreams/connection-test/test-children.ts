export type TestChild = { pid: number; startedAtMs: number };

/** The processes of the tests that are under way. */
export type TestChildren = {
  started(test: { testId: string; serverId: string }, child: TestChild): void;
  ended(testId: string): void;
  of(serverId: string): TestChild[];
};

export function createTestChildren(): TestChildren {
  // a test has one process at a time: another takes the place of one that has ended
  const children = new Map<string, TestChild & { serverId: string }>();
  return {
    started: ({ testId, serverId }, child) => void children.set(testId, { serverId, ...child }),
    ended: (testId) => void children.delete(testId),
    of: (serverId) => [...children.values()].filter((child) => child.serverId === serverId),
  };
}
