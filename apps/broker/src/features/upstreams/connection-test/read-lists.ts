import type { Upstream } from '#adapters/mcp/upstream.ts';
import type { Discovered, InspectedLists, ServerManifest } from '#features/catalogue/index.ts';
import { readAll } from '../watch/discover-server.ts';
import { readLatest, withAsking } from '../watch/read-asking.ts';
import type { Running } from './test-parts.ts';
import type { TestConnections } from './test-connections.ts';

const maxTools = 512;

/** Reads the lists as a discovery does, and reports how they differ from the deployed ones. @throws UpstreamError */
export async function readLists(
  server: ServerManifest,
  upstream: Upstream,
  given: Running & {
    connections: TestConnections;
    announced: { hasNewListsWhileAsked: boolean };
  },
): Promise<{ discovered: Discovered; lists: InspectedLists }> {
  const { connections, announced, progress, tell, parts } = given;
  progress.begin('lists');
  const read = <T>(ask: () => Promise<T>) => readLatest(announced, ask);
  const discovered = await withAsking(server, await read(() => readAll(upstream)), connections, read);
  const lists = await parts.catalogue.inspectLists(server.manifest, discovered);
  const count = (...kinds: string[]) => lists.items.filter(({ kind }) => kinds.includes(kind)).length;
  const [prompts, resources] = [count('prompt'), count('resource', 'template')];
  progress.pass(
    [amount(lists.tools.length, 'tool'), amount(prompts, 'prompt'), amount(resources, 'resource')].join(', '),
  );
  tell({
    type: 'tools',
    tools: lists.tools.slice(0, maxTools).map((tool) => ({ ...tool })),
    prompts,
    resources,
    compared: lists.compared ?? null,
  });
  return { discovered, lists };
}

function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
