import { emptyMap, type ImmutableMap } from '../search/immutable-map.ts';
import { mergeSorted } from '../search/merge-sorted.ts';
import type { CatalogueItem, CatalogueServer, CatalogueSnapshot } from './snapshot.ts';

/** A snapshot from which the next one is derived. */
export type OwnSnapshot = CatalogueSnapshot & {
  byId: ImmutableMap<CatalogueServer>;
  toolsByExposedName: ImmutableMap<CatalogueItem>;
  promptsByExposedName: ImmutableMap<CatalogueItem>;
  resourcesByExposedName: ImmutableMap<CatalogueItem>;
};

export const emptySnapshot: OwnSnapshot = {
  version: 0,
  servers: [],
  byId: emptyMap(),
  toolsByExposedName: emptyMap(),
  promptsByExposedName: emptyMap(),
  resourcesByExposedName: emptyMap(),
};

const names = new Intl.Collator('en');
const byName = (one: CatalogueServer, other: CatalogueServer): number =>
  names.compare(one.manifest.name, other.manifest.name) || (one.id < other.id ? -1 : 1);

/** Sorts changed servers into the list. Compares no names if these are unchanged, as in most changes. */
function placeServers(
  before: OwnSnapshot,
  changed: ReadonlySet<string>,
  servers: readonly CatalogueServer[],
): readonly CatalogueServer[] {
  const keepsPlace = ({ id, manifest: { name } }: CatalogueServer) => before.byId.get(id)?.manifest.name === name;
  if (servers.length === changed.size && servers.every(keepsPlace)) {
    const byServerId = new Map(servers.map((server) => [server.id, server]));
    return before.servers.map((server) => byServerId.get(server.id) ?? server);
  }
  return mergeSorted(before.servers, ({ id }) => !changed.has(id), servers, byName);
}

/**
 * Returns the next snapshot, which shares the other servers' data: changing a few among thousands is cheap.
 * @param changed ids of servers that changed or are no longer deployed
 * @param servers those of them that are deployed
 */
export function changeSnapshot(
  before: OwnSnapshot,
  changed: ReadonlySet<string>,
  servers: readonly CatalogueServer[],
): OwnSnapshot {
  const removed = [...changed].flatMap((id) => before.byId.get(id) ?? []);
  const change = (index: ImmutableMap<CatalogueItem>, pick: (server: CatalogueServer) => readonly CatalogueItem[]) => {
    const entries = (of: readonly CatalogueServer[]) =>
      of.flatMap((server) => pick(server).map((item) => [item.exposedName, item] as const));
    return index.change(entries(removed), entries(servers));
  };
  const byId = (of: readonly CatalogueServer[]) => of.map((server) => [server.id, server] as const);
  return {
    version: before.version + 1,
    servers: placeServers(before, changed, servers),
    byId: before.byId.change(byId(removed), byId(servers)),
    toolsByExposedName: change(before.toolsByExposedName, ({ tools, toolsUnderReview }) => [
      ...tools,
      ...toolsUnderReview,
    ]),
    promptsByExposedName: change(before.promptsByExposedName, ({ prompts }) => prompts),
    resourcesByExposedName: change(before.resourcesByExposedName, ({ resources }) => resources),
  };
}
