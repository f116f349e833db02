import type { CallToolResult } from '@modelcontextprotocol/server';
import { asRecord, isRecord } from '#platform/json.ts';

/**
 * Whether clients up to 2025-11-25 see the outputSchema of a tool as its server wrote it. For them it must be of an object: the
 * SDK lists every other as `{ result: … }` (SEP-2106).
 */
export function isListedAsItIs({ outputSchema }: Readonly<Record<string, unknown>>): boolean {
  return outputSchema === undefined || asRecord(outputSchema)?.['type'] === 'object';
}

/**
 * A result as such a client may read it, and as its tool's outputSchema was listed: structuredContent is an object. Where the
 * schema was listed within an object, so is every result. Anything else goes as text alone: a client throws it away.
 * @param isAsListed what isListedAsItIs says of the tool's definition
 */
export function asLegacyResult(result: CallToolResult, isAsListed: boolean): CallToolResult {
  const { structuredContent: value, content = [], ...others } = result;
  if (value === undefined) return result;
  const isObject = isRecord(value) && !JSON.isRawJSON(value);
  if (isAsListed && isObject) return result;
  const isShown = isObject || content.some(({ type }) => type === 'text');
  return {
    ...others,
    content: isShown ? content : [...content, { type: 'text', text: JSON.stringify(value) }],
    ...(!isAsListed && { structuredContent: { result: value } }),
  };
}
