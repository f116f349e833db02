import { asRecord, asText, type Schema } from '../form/schema-field.ts';

/** A block of a result as it is shown (MCP, server/tools, Tool Result). */
export type ContentBlock =
  | { kind: 'text'; text: string; format: 'text' | 'markdown' | 'json'; name?: string | undefined }
  | { kind: 'image' | 'audio'; mimeType: string; data: string }
  | { kind: 'link'; uri: string; name: string; description: string }
  | { kind: 'file'; name: string; mimeType: string; bytes: number }
  | { kind: 'unknown'; type: string };

const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const audioTypes: ReadonlySet<string> = new Set([
  'audio/mpeg',
  'audio/wav',
  'audio/ogg',
  'audio/webm',
  'audio/mp4',
  'audio/aac',
  'audio/flac',
]);

/** Reads a server's block. Any part of it may be missing, invalid or hostile. */
export function readBlock(value: unknown): ContentBlock {
  const block = asRecord(value);
  switch (block['type']) {
    case 'text':
      return textBlock(asText(block['text']), undefined);
    case 'image':
    case 'audio':
      return media(asText(block['mimeType']), asText(block['data']), block['type']);
    case 'resource_link': {
      const uri = asText(block['uri']);
      const name = asText(block['title']) || asText(block['name']) || uri;
      return { kind: 'link', uri, name, description: asText(block['description']) };
    }
    case 'resource':
      return resource(asRecord(block['resource']));
    default:
      return { kind: 'unknown', type: asText(block['type']) || 'none' };
  }
}

function resource(from: Schema): ContentBlock {
  const [uri, mimeType] = [asText(from['uri']), asText(from['mimeType'])];
  if (typeof from['text'] === 'string') return { ...textBlock(from['text'], mimeType), name: uri };
  const data = asText(from['blob']);
  const shown = imageTypes.has(mimeType) ? 'image' : audioTypes.has(mimeType) ? 'audio' : undefined;
  return shown ? media(mimeType, data, shown) : { kind: 'file', name: uri, mimeType, bytes: bytesOf(data) };
}

function media(mimeType: string, data: string, kind: 'image' | 'audio'): ContentBlock {
  const types = kind === 'image' ? imageTypes : audioTypes;
  // other characters could end the data: address and begin another one
  const isShown = types.has(mimeType) && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
  return isShown ? { kind, mimeType, data } : { kind: 'file', name: kind, mimeType, bytes: bytesOf(data) };
}

function textBlock(content: string, mimeType: string | undefined): Extract<ContentBlock, { kind: 'text' }> {
  if (mimeType === 'text/markdown') return { kind: 'text', text: content, format: 'markdown' };
  if (isJson(content)) return { kind: 'text', text: JSON.stringify(JSON.parse(content), null, 2), format: 'json' };
  const isPlain = mimeType !== undefined && mimeType !== 'text/plain';
  return { kind: 'text', text: content, format: !isPlain && looksLikeMarkdown(content) ? 'markdown' : 'text' };
}

/** Returns whether the text is an object or list. A mere number or word is shown as text. */
function isJson(content: string): boolean {
  const [first] = content.trimStart();
  if (first !== '{' && first !== '[') return false;
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}

/** Enough of a text to recognize its format. */
const sampleCharacters = 4000;

/** Looks for headings, fences, tables, links and emphasis, which plain text rarely has by chance. */
function looksLikeMarkdown(content: string): boolean {
  const sample = content.slice(0, sampleCharacters);
  if (sample.includes('](http') || sample.includes('\n```') || sample.startsWith('```')) return true;
  const lines = sample.split('\n').map((line) => line.trimStart());
  const marked = lines.filter((line) => /^(#{1,6} |[-*] |> |\|.*\||\d{1,3}\. )/.test(line)).length;
  return marked >= 2 || lines.some((line) => /^#{1,6} \S/.test(line)) || sample.split('**').length > 2;
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
