/** Announces changed servers. Changes within `together` are announced once, at its end. */
export function gatherChanges(announce: (...serverIds: string[]) => Promise<void>) {
  let gathered: Set<string> | undefined;
  return {
    async changed(...serverIds: string[]): Promise<void> {
      if (gathered === undefined || serverIds.length === 0) return announce(...serverIds);
      for (const id of serverIds) gathered.add(id);
    },
    async together<T>(work: () => Promise<T>): Promise<T> {
      const outer = gathered;
      const mine = (gathered ??= new Set());
      try {
        return await work();
      } finally {
        gathered = outer;
        if (outer === undefined && mine.size > 0) await announce(...mine);
      }
    },
  };
}
