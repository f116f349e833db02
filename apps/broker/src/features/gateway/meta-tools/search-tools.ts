import { asRecord } from '#platform/json.ts';
import type { CatalogueItem, CatalogueServer, CatalogueSnapshot } from '#features/catalogue/index.ts';
import { synonymsOf, wordsOf } from './tool-words.ts';

const weights = { name: 3, title: 2.5, description: 1, parameter: 0.6, server: 1.5, serverText: 0.3 };
const synonymWeight = 0.6;
/** BM25's usual constants: how soon repetition stops counting, and how much long texts are penalized. */
const saturation = 1.2;
const lengthShare = 0.5;

export type MaySee = (server: CatalogueServer, item: CatalogueItem) => boolean;
type ToolMatch = { server: CatalogueServer; item: CatalogueItem; score: number };

type Posting = { document: number; weight: number };
type Index = {
  documents: { server: CatalogueServer; item: CatalogueItem; length: number }[];
  postings: ReadonlyMap<string, readonly Posting[]>;
  totalLength: number;
};

/** One index per catalogue snapshot, and per server with personal tools, built at the first search and freed with them. */
const indexes = new WeakMap<CatalogueSnapshot | CatalogueServer, Index>();

/**
 * Ranks the tools that `maySee` allows by how well they match the words of `query` (BM25 over weighted fields). Best
 * first, without tools that match no word.
 * @param personal servers with the user's personal tools
 */
export function searchTools(
  snapshot: CatalogueSnapshot,
  personal: readonly CatalogueServer[],
  query: string,
  limit: number,
  maySee: MaySee,
): ToolMatch[] {
  const all = [
    indexOf(snapshot, snapshot.servers),
    ...personal.filter(({ tools }) => tools.length > 0).map((server) => indexOf(server, [server])),
  ];
  const count = all.reduce((sum, { documents }) => sum + documents.length, 0);
  const averageLength = all.reduce((sum, { totalLength }) => sum + totalLength, 0) / Math.max(1, count);
  const matches: ToolMatch[] = [];
  const words = [...queryWords(query)].map(([word, weight]) => {
    const found = all.reduce((sum, { postings }) => sum + (postings.get(word)?.length ?? 0), 0);
    return { word, weight: weight * Math.log(1 + (count - found + 0.5) / (found + 0.5)) };
  });
  for (const { documents, postings } of all) {
    const scores = new Map<number, number>();
    for (const { word, weight: wordWeight } of words) {
      for (const { document, weight } of postings.get(word) ?? []) {
        const length = (documents[document]?.length ?? 0) / averageLength;
        const share = (weight * (saturation + 1)) / (weight + saturation * (1 - lengthShare + lengthShare * length));
        scores.set(document, (scores.get(document) ?? 0) + wordWeight * share);
      }
    }
    for (const [document, score] of scores) {
      const found = documents[document];
      if (found && maySee(found.server, found.item)) matches.push({ server: found.server, item: found.item, score });
    }
  }
  return matches
    .sort((a, b) => b.score - a.score || (a.item.exposedName < b.item.exposedName ? -1 : 1))
    .slice(0, limit);
}

/** The query's words with weight 1, and their synonyms with a lower weight. */
function queryWords(query: string): Map<string, number> {
  const asked = wordsOf(query);
  const words = new Map(asked.map((word) => [word, 1]));
  for (const word of asked) {
    for (const other of synonymsOf(word)) if (!words.has(other)) words.set(other, synonymWeight);
  }
  return words;
}

function indexOf(of: CatalogueSnapshot | CatalogueServer, servers: readonly CatalogueServer[]): Index {
  const known = indexes.get(of);
  if (known) return known;
  const postings = new Map<string, Posting[]>();
  let totalLength = 0;
  const tools = servers.flatMap((server) => server.tools.map((item) => ({ server, item })));
  const documents = tools.map(({ server, item }, document) => {
    let length = 0;
    for (const [word, weight] of weightedWords(server, item)) {
      length += weight;
      const list = postings.get(word);
      if (list) list.push({ document, weight });
      else postings.set(word, [{ document, weight }]);
    }
    totalLength += length;
    return { server, item, length };
  });
  const index: Index = { documents, postings, totalLength };
  indexes.set(of, index);
  return index;
}

function weightedWords(server: CatalogueServer, item: CatalogueItem): Map<string, number> {
  const { definition } = item;
  const annotations = recordOf(definition['annotations']);
  const words = new Map<string, number>();
  const add = (text: unknown, weight: number) => {
    if (typeof text !== 'string') return;
    for (const word of wordsOf(text)) words.set(word, (words.get(word) ?? 0) + weight);
  };
  add(item.name, weights.name);
  add(definition['title'] ?? annotations['title'], weights.title);
  add(definition['description'], weights.description);
  for (const parameter of Object.keys(recordOf(recordOf(definition['inputSchema'])['properties']))) {
    add(parameter, weights.parameter);
  }
  add(server.manifest.name, weights.server);
  add(server.manifest.description, weights.serverText);
  return words;
}

function recordOf(value: unknown): Record<string, unknown> {
  return asRecord(value) ?? {};
}
