import type { CallToolResult } from '@modelcontextprotocol/server';
import { asRecord, isRecord } from '#platform/json.ts';

/**
 * Whether clients up to 2025-11-25 see a tool's outputSchema unchanged. For them it must describe an object: the SDK lists
 * every other schema within `{ result: … }` (SEP-2106).
 */
export function isListedAsItIs({ outputSchema }: Readonly<Record<string, unknown>>): boolean {
  return outputSchema === undefined || asRecord(outputSchema)?.['type'] === 'object';
}

/**
 * Converts a result for such a client, to fit the outputSchema as it was listed: structuredContent is an object, wrapped
 * like the schema. Other structured content is sent as text only, because the client would discard it.
 * @param isListedUnchanged isListedAsItIs of the tool's definition
 */
export function asLegacyResult(result: CallToolResult, isListedUnchanged: boolean): CallToolResult {
  const { structuredContent: value, content = [], ...others } = result;
  if (value === undefined) return result;
  const isObject = isRecord(value) && !JSON.isRawJSON(value);
  if (isListedUnchanged && isObject) return result;
  const isShown = isObject || content.some(({ type }) => type === 'text');
  return {
    ...others,
    content: isShown ? content : [...content, { type: 'text', text: JSON.stringify(value) }],
    ...(!isListedUnchanged && { structuredContent: { result: value } }),
  };
}
