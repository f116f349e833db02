import { asRecord } from '#platform/json.ts';

/** Whether a tool's result has the usual shape and needs no schema. False only means that the schema must check it. */
export function isOrdinaryResult(result: Record<string, unknown>): boolean {
  const { content, structuredContent, isError, _meta: meta } = result;
  return (
    Array.isArray(content) &&
    content.every(isOrdinaryBlock) &&
    (structuredContent === undefined || asRecord(structuredContent) !== undefined) &&
    (isError === undefined || typeof isError === 'boolean') &&
    (meta === undefined || isOrdinaryMeta(meta))
  );
}

/** Keys that name the page of an MCP App, whose URI may have to be rewritten. */
const pageKeys = ['ui', 'ui/resourceUri', 'openai/outputTemplate'] as const;

function isOrdinaryMeta(value: unknown): boolean {
  const meta = asRecord(value);
  return meta !== undefined && pageKeys.every((key) => meta[key] === undefined);
}

function isOrdinaryBlock(value: unknown): boolean {
  const block = asRecord(value);
  // annotations contain dates and bounded numbers, which the schema checks
  if (!block || block['annotations'] !== undefined) return false;
  if (block['_meta'] !== undefined && !asRecord(block['_meta'])) return false;
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string';
    case 'image':
    case 'audio':
      return typeof block['data'] === 'string' && typeof block['mimeType'] === 'string' && isBase64(block['data']);
    default:
      return false;
  }
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
