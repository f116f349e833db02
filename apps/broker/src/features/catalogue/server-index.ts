import { tiers, type Tier } from '@souk/contract/tiers.ts';
import { folded } from './search-words.ts';
import { lastUpdateMs, type CatalogueServer, type CatalogueSnapshot } from './snapshot.ts';

/** A deployed server as searches see it. */
export type IndexedServer = {
  server: CatalogueServer;
  tier: Tier;
  isFree: boolean;
  /** Folded. */
  name: string;
  /** Everything that a search looks at, folded, a line for each text: no word of a search goes over the end of a line. */
  text: string;
  /** The name and the title of each listed tool, in the order of `server.tools`. */
  toolTexts: readonly string[];
};

export type SortOrder = 'name' | 'price' | 'tools' | 'updated' | 'popular' | 'featured';

/** How much servers were used, by their ids. A server that is not in it was not used. */
export type Popularity = ReadonlyMap<string, { people: number; calls: number }>;

/** The catalogue, ready to be searched: whole lists in each order that can be asked for. */
export type ServerIndex = { inOrder(order: SortOrder): readonly IndexedServer[] };

type Texts = Pick<IndexedServer, 'name' | 'text' | 'toolTexts'>;

/**
 * Keeps the index of the newest snapshot, so that a search does no more than compare. Texts of a server are made again only
 * when its manifest or its tools have changed, since a snapshot follows each change of the health of any server.
 * @param popularity of the moment, from memory: another map is another order
 */
export function createServerIndex(popularity: () => Popularity): (snapshot: CatalogueSnapshot) => ServerIndex {
  let known = new Map<string, { key: string; texts: Texts }>();
  let current: { snapshot: CatalogueSnapshot; used: Popularity; index: ServerIndex } | undefined;

  function textsOf(server: CatalogueServer): { key: string; texts: Texts } {
    const key = `${server.manifest.version} ${server.offersHash}`;
    const kept = known.get(server.id);
    return kept?.key === key ? kept : { key, texts: readTexts(server) };
  }

  return (snapshot) => {
    const used = popularity();
    if (current?.snapshot === snapshot && current.used === used) return current.index;
    const next = new Map(snapshot.servers.map((server) => [server.id, textsOf(server)]));
    known = next;
    const servers = snapshot.servers.map((server) => {
      const tier = server.manifest.billing?.tier ?? 'T0';
      return { server, tier, isFree: tiers[tier].level === 0, ...(next.get(server.id)?.texts ?? readTexts(server)) };
    });
    const index = sortedOnDemand(servers, used);
    current = { snapshot, used, index };
    return index;
  };
}

function readTexts({ id, manifest, tools }: CatalogueServer): Texts {
  const name = folded(manifest.name);
  const toolTexts = tools.map(({ name: tool, definition: { title } }) =>
    folded(typeof title === 'string' ? `${tool}\n${title}` : tool),
  );
  return { name, toolTexts, text: [name, id, folded(manifest.description), ...toolTexts].join('\n') };
}

type Compare = (one: IndexedServer, other: IndexedServer) => number;

/** As people sort names: in any case of letters, and 2 before 10. */
const names = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

const byName: Compare = ({ server: one }, { server: other }) =>
  names.compare(one.manifest.name, other.manifest.name) || names.compare(one.id, other.id);

/** Free first, then by monthly price. Servers that only a plan includes have no price of their own and come last. */
const priceRank = ({ isFree, server }: IndexedServer): number =>
  isFree ? 0 : (server.manifest.billing?.rental?.price ?? Number.MAX_SAFE_INTEGER);

const place = ({ server }: IndexedServer): number => server.manifest.featured ?? Number.MAX_SAFE_INTEGER;

/** Each with the order that equal ones keep. */
function comparatorsFor(used: Popularity): Record<Exclude<SortOrder, 'name'>, [within: SortOrder, Compare]> {
  const people = ({ server }: IndexedServer) => used.get(server.id)?.people ?? 0;
  const calls = ({ server }: IndexedServer) => used.get(server.id)?.calls ?? 0;
  return {
    price: ['name', (one, other) => priceRank(one) - priceRank(other)],
    tools: ['name', (one, other) => other.server.tools.length - one.server.tools.length],
    updated: ['name', (one, other) => lastUpdateMs(other.server) - lastUpdateMs(one.server)],
    // many calls may be one busy person's
    popular: ['name', (one, other) => people(other) - people(one) || calls(other) - calls(one)],
    featured: ['popular', (one, other) => place(one) - place(other)],
  };
}

function sortedOnDemand(servers: readonly IndexedServer[], used: Popularity): ServerIndex {
  const comparators = comparatorsFor(used);
  const sorted = new Map<SortOrder, readonly IndexedServer[]>();
  const inOrder = (order: SortOrder): readonly IndexedServer[] => {
    const kept = sorted.get(order);
    if (kept) return kept;
    const list = sort(order);
    sorted.set(order, list);
    return list;
  };
  const sort = (order: SortOrder): readonly IndexedServer[] => {
    if (order === 'name') return servers.toSorted(byName);
    const [within, compare] = comparators[order];
    return inOrder(within).toSorted(compare);
  };
  return { inOrder };
}

/** The first servers as home shows them. */
export const firstOnHome = (index: ServerIndex, count: number): readonly CatalogueServer[] =>
  index
    .inOrder('featured')
    .slice(0, count)
    .map(({ server }) => server);
