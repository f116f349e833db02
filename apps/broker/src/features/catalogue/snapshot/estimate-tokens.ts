import type { CatalogueItem } from './snapshot.ts';

/** Bytes of JSON for about one token. The tokenisers of today's models need 3.5 to 4.5 bytes of English and JSON. */
const bytesPerToken = 4;

const counted = new WeakMap<CatalogueItem, number>();

/** About how many tokens one tool's definition takes in a model's context: name, texts and schema as a client sends them. */
export function estimateToolTokens(item: CatalogueItem): number {
  const known = counted.get(item);
  if (known !== undefined) return known;
  const tokens = estimateDefinitionTokens(item.exposedName, item.definition);
  counted.set(item, tokens);
  return tokens;
}

export function estimateDefinitionTokens(exposedName: string, definition: Record<string, unknown>): number {
  const { title, description, inputSchema } = definition;
  const sent = JSON.stringify({ name: exposedName, title, description, inputSchema });
  return Math.ceil(Buffer.byteLength(sent) / bytesPerToken);
}

/** The same for all tools of a list. */
export function estimateTokens(tools: readonly CatalogueItem[]): number {
  return tools.reduce((sum, item) => sum + estimateToolTokens(item), 0);
}
