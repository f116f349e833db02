import type { QuestionKind } from '@souk/contract/manifest/manifest-basics.ts';
import type { ServerManifest, Discovered } from '#features/catalogue/index.ts';
import { isProgram, type UpstreamNeeds } from '../pool/connection-key.ts';
import { clientThatAnswers } from '../pool/question-kinds.ts';
import { isPerUser } from '../pool/upstream-target.ts';
import type { ConnectionUse } from '../pool/use-connection.ts';
import type { WatchedServer } from './watched-server.ts';

type Use = Omit<ConnectionUse, 'drop'>;

export type ReadLists = <T>(ask: () => Promise<T>) => Promise<T>;

/** The connections to one server, of the pool or of a connection test. */
export type ServerConnections = {
  acquire(needs?: UpstreamNeeds): Use | Promise<Use>;
  /** Closes the connection that `acquire` would use. */
  drop(needs?: UpstreamNeeds): Promise<void>;
};

/**
 * Adds the tools that a server lists only to clients that can answer its questions. A server learns what a client can
 * answer when a connection opens, so it is asked on one connection per kind of question that its manifest names,
 * sequentially, because two processes of one program would write the same files.
 * @throws UpstreamError
 */
export async function withAsking(
  server: ServerManifest,
  discovered: Discovered,
  connections: ServerConnections,
  read: ReadLists,
): Promise<Discovered> {
  // a program that everyone shares asks no client (connection-key.ts)
  const { asks: kinds = [] } = server.manifest;
  if (kinds.length === 0 || (isProgram(server) && !isPerUser(server))) return discovered;
  if (isProgram(server)) await connections.drop();
  const tools = new Map(discovered.tools.map((tool) => [tool['name'], tool]));
  const asks = new Map<string, QuestionKind>();
  for (const kind of kinds) {
    for (const tool of await toolsFor(kind, connections, read)) {
      if (tools.has(tool.name)) continue;
      tools.set(tool.name, tool);
      asks.set(tool.name, kind);
    }
  }
  return asks.size === 0 ? discovered : { ...discovered, tools: [...tools.values()], asks };
}

async function toolsFor(kind: QuestionKind, connections: ServerConnections, read: ReadLists) {
  const needs = { listsFor: clientThatAnswers(kind) };
  const use = await connections.acquire(needs);
  try {
    return await read(() => use.upstream.listTools());
  } finally {
    use.release();
    await connections.drop(needs);
  }
}

/**
 * Asks, and asks once more over the same connection if the server announced changed lists meanwhile, since the answer
 * may be outdated. Some servers announce their lists at each start, and asking twice costs much less than another
 * discovery, which starts a process. An announcement during the second answer causes another discovery.
 */
export async function readLatest<T>(
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
