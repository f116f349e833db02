import type { CatalogueItem } from './snapshot.ts';

/** Average of today's models, which take 3.5 to 4.5 bytes of English and JSON per token. */
const bytesPerToken = 4;

const counted = new WeakMap<CatalogueItem, number>();

/** Estimates the tokens of a tool's definition in a model's context: name, texts and schema as clients send them. */
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

export function estimateTokens(tools: readonly CatalogueItem[]): number {
  return tools.reduce((sum, item) => sum + estimateToolTokens(item), 0);
}
