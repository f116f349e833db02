import type { WatchedServer } from './watched-server.ts';

/** Asks a server over one connection what it lists. */
export type ReadLists = <T>(ask: () => Promise<T>) => Promise<T>;

/**
 * Asks once more over the same connection when the server announced its lists meanwhile: the answer may be from before.
 * Some servers announce them at each start, so for a discovery that starts a process of its own it costs much less than
 * another discovery. What it announces during the second time remains for one.
 */
export async function readSettled<T>(
  watched: Pick<WatchedServer, 'hasNewListsWhileAsked'>,
  ask: () => Promise<T>,
): Promise<T> {
  const remains = watched.hasNewListsWhileAsked;
  watched.hasNewListsWhileAsked = false;
  let lists = await ask();
  if (watched.hasNewListsWhileAsked) {
    watched.hasNewListsWhileAsked = false;
    lists = await ask();
  }
  watched.hasNewListsWhileAsked ||= remains;
  return lists;
}
