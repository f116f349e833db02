import type { CallToolResult } from '@modelcontextprotocol/server';
import { ownMeta, type OwnFacts } from '#platform/own-meta.ts';

/** A failed call as a result with a text, because models never see JSON-RPC errors. */
export function failedResult(text: string, facts: OwnFacts): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true, _meta: ownMeta(facts) };
}

/** The answer of a built-in tool, as structured content and as text. */
export function structuredResult(content: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content };
}
