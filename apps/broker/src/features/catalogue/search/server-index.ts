import { tiers, type Tier } from '@souk/contract/tiers.ts';
import { mergeSorted } from './merge-sorted.ts';
import { folded } from './search-words.ts';
import { lastUpdateMs, type CatalogueServer, type CatalogueSnapshot } from '../snapshot/snapshot.ts';

/** A deployed server, prepared for searches. */
export type IndexedServer = {
  server: CatalogueServer;
  tier: Tier;
  isFree: boolean;
  /** Normalized. */
  name: string;
  /** All searched texts, normalized, one per line: no word of a search spans lines. */
  text: string;
  /** Name and title of each listed tool, in the order of `server.tools`. */
  toolTexts: readonly string[];
};

export type SortOrder = 'name' | 'price' | 'tools' | 'updated' | 'popular' | 'featured';

/** Use of servers by id. An unused server is missing. */
export type Popularity = ReadonlyMap<string, { people: number; calls: number }>;

/** Lists of all servers, in any order that can be requested. */
export type ServerIndex = { inOrder(order: SortOrder): readonly IndexedServer[] };

type Texts = Pick<IndexedServer, 'name' | 'text' | 'toolTexts'>;

/**
 * Keeps an index of the newest snapshot, so that a search only compares. A snapshot follows each change of any server's
 * health, so unchanged servers keep their entries and their places in each order; texts are rebuilt only when a
 * server's manifest or tools have changed.
 * @param popularity returns the current use of servers, from memory. A new map means a new order
 */
export function createServerIndex(popularity: () => Popularity): (snapshot: CatalogueSnapshot) => ServerIndex {
  let known: ReadonlyMap<string, Known> = new Map();
  let current: { snapshot: CatalogueSnapshot; used: Popularity; lists: SortedLists } | undefined;

  return (snapshot) => {
    const used = popularity();
    if (current?.snapshot === snapshot && current.used === used) return current.lists;
    const next = new Map(snapshot.servers.map((server) => [server.id, indexServer(server, known.get(server.id))]));
    known = next;
    const servers = snapshot.servers.flatMap(({ id }) => next.get(id)?.indexed ?? []);
    const lists = new SortedLists(servers, used, current);
    current = { snapshot, used, lists };
    return lists;
  };
}

type Known = { key: string; indexed: IndexedServer };

function indexServer(server: CatalogueServer, before: Known | undefined): Known {
  if (before?.indexed.server === server) return before;
  const key = `${server.manifest.version} ${server.offersHash}`;
  const { name, text, toolTexts } = before?.key === key ? before.indexed : readTexts(server);
  const tier = server.manifest.billing?.tier ?? 'T0';
  return { key, indexed: { server, tier, isFree: tiers[tier].level === 0, name, text, toolTexts } };
}

function readTexts({ id, manifest, tools }: CatalogueServer): Texts {
  const name = folded(manifest.name);
  const toolTexts = tools.map(({ name: tool, definition: { title } }) =>
    folded(typeof title === 'string' ? `${tool}\n${title}` : tool),
  );
  return { name, toolTexts, text: [name, id, folded(manifest.description), ...toolTexts].join('\n') };
}

type Compare = (one: IndexedServer, other: IndexedServer) => number;

/** Compares names regardless of case, with 2 before 10. */
const names = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

/** Never 0, so that each order is unambiguous. */
const byName: Compare = ({ server: one }, { server: other }) =>
  names.compare(one.manifest.name, other.manifest.name) ||
  names.compare(one.id, other.id) ||
  (one.id < other.id ? -1 : 1);

/**
 * Sorts free servers first, then by monthly price. Servers that only plans include have no price of their own and come
 * last.
 */
const priceRank = ({ isFree, server }: IndexedServer): number =>
  isFree ? 0 : (server.manifest.billing?.rental?.price ?? Number.MAX_SAFE_INTEGER);

const place = ({ server }: IndexedServer): number => server.manifest.featured ?? Number.MAX_SAFE_INTEGER;

function comparatorsFor(used: Popularity): Record<SortOrder, Compare> {
  const people = ({ server }: IndexedServer) => used.get(server.id)?.people ?? 0;
  const calls = ({ server }: IndexedServer) => used.get(server.id)?.calls ?? 0;
  // many calls may come from one busy user
  const popular: Compare = (one, other) =>
    people(other) - people(one) || calls(other) - calls(one) || byName(one, other);
  return {
    name: byName,
    price: (one, other) => priceRank(one) - priceRank(other) || byName(one, other),
    tools: (one, other) => other.toolTexts.length - one.toolTexts.length || byName(one, other),
    updated: (one, other) => lastUpdateMs(other.server) - lastUpdateMs(one.server) || byName(one, other),
    popular,
    featured: (one, other) => place(one) - place(other) || popular(one, other),
  };
}

/** Sorts the servers when an order is requested. Orders that the previous index had are updated with the changes. */
class SortedLists implements ServerIndex {
  readonly #servers: ReadonlySet<IndexedServer>;
  readonly #compare: Record<SortOrder, Compare>;
  readonly #sorted = new Map<SortOrder, readonly IndexedServer[]>();

  constructor(
    servers: readonly IndexedServer[],
    used: Popularity,
    before: { lists: SortedLists; used: Popularity } | undefined,
  ) {
    this.#servers = new Set(servers);
    this.#compare = comparatorsFor(used);
    if (!before) return;
    const added = servers.filter((server) => !before.lists.#servers.has(server));
    for (const [order, list] of before.lists.#sorted) {
      if (before.used !== used && (order === 'popular' || order === 'featured')) continue;
      this.#sorted.set(
        order,
        mergeSorted(list, (server) => this.#servers.has(server), added, this.#compare[order]),
      );
    }
  }

  inOrder(order: SortOrder): readonly IndexedServer[] {
    const known = this.#sorted.get(order);
    if (known) return known;
    const list = [...this.#servers].sort(this.#compare[order]);
    this.#sorted.set(order, list);
    return list;
  }
}

export const firstOnHome = (index: ServerIndex, count: number): readonly CatalogueServer[] =>
  index
    .inOrder('featured')
    .slice(0, count)
    .map(({ server }) => server);
