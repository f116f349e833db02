import { searchWords } from './search-words.ts';
import type { IndexedServer, ServerIndex } from './server-index.ts';
import type { CatalogueItem, CatalogueServer } from '../snapshot/snapshot.ts';

export type Suggestions = {
  servers: CatalogueServer[];
  tools: { server: CatalogueServer; tool: CatalogueItem }[];
};

/** Ranks of a match: the text begins with the word, one of its words begins with it, or a word contains it. */
const begins = 0;
const wordBegins = 1;
const within = 2;
/** Rank of a server whose name does not match, but another text of it. */
const elsewhere = 3;

/** Finds the servers and tools that match a text best; equally good ones by the name of the server. */
export function suggestMatches(index: ServerIndex, q: string, limit: number): Suggestions {
  const words = searchWords(q);
  const all = index.inOrder('name');
  if (words.length === 0) return { servers: all.slice(0, limit).map(({ server }) => server), tools: [] };
  const matching = all.filter(({ text }) => words.every((word) => text.includes(word)));
  return {
    servers: bestServers(matching, words, limit),
    tools: bestTools(matching, words, limit),
  };
}

function bestServers(matching: readonly IndexedServer[], words: readonly string[], limit: number): CatalogueServer[] {
  const best = createBest<CatalogueServer>(limit);
  for (const { server, name } of matching) {
    best.add(rank(name, words) ?? elsewhere, server);
    if (best.isFull(begins)) break;
  }
  return best.list();
}

/** Matches tools by their own words; the name of the server may match the others: "travel airports". */
function bestTools(matching: readonly IndexedServer[], words: readonly string[], limit: number): Suggestions['tools'] {
  const best = createBest<Suggestions['tools'][number]>(limit);
  for (const { server, name, toolTexts } of matching) {
    const own = words.filter((word) => !name.includes(word));
    const wanted = own.length === 0 ? words : own;
    for (const [position, text] of toolTexts.entries()) {
      const tool = server.tools[position];
      const fit = rank(text, wanted);
      if (tool && fit !== undefined) best.add(fit, { server, tool });
    }
    if (best.isFull(begins)) break;
  }
  return best.list();
}

/** Returns the rank of the best word in a text; undefined if a word is missing. */
function rank(text: string, words: readonly string[]): number | undefined {
  let best: number | undefined;
  for (const word of words) {
    const at = text.indexOf(word);
    if (at < 0) return undefined;
    const fit = at === 0 ? begins : endsWord(text.charCodeAt(at - 1)) ? wordBegins : within;
    if (best === undefined || fit < best) best = fit;
  }
  return best;
}

/** Whether a word may begin after this character of a normalized text: after any but letters and digits. */
const endsWord = (code: number): boolean => !((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127);

/** Keeps the first `limit` items of each rank, and lists the best of all ranks. */
function createBest<Item>(limit: number) {
  const ranks: [Item[], Item[], Item[], Item[]] = [[], [], [], []];
  return {
    add(fit: number, item: Item): void {
      const list = ranks[fit];
      if (list && list.length < limit) list.push(item);
    },
    isFull: (fit: number): boolean => (ranks[fit]?.length ?? 0) >= limit,
    list: (): Item[] => ranks.flat().slice(0, limit),
  };
}
