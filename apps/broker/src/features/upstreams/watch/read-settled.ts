import type { WatchedServer } from './watched-server.ts';

/** Asks a server over one connection what it lists. */
export type ReadLists = <T>(ask: () => Promise<T>) => Promise<T>;

/**
 * Asks once more over the same connection when the server announced changed lists meanwhile, since the answer may be
 * outdated. Some servers announce their lists at each start, and asking again costs much less than another discovery that
 * starts a process. An announcement during the second answer leads to another discovery.
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
