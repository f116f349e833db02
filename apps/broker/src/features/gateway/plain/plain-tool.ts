import type { CatalogueItem } from '#features/catalogue/index.ts';
import type { Found } from '../person.ts';

/** Arguments that are mirrored in headers (SEP-2243) are the SDK's to compare and to encode. */
const mirrors = new WeakMap<CatalogueItem, boolean>();

/** Whether calls of a tool can go the plain way: over HTTP, with nothing of its own to be said in headers. */
export function isPlainTool({ server, item }: Found): boolean {
  if (server.manifest.connection.type !== 'http') return false;
  let plain = mirrors.get(item);
  if (plain === undefined) {
    // a name that is no plain ASCII would have to be encoded in Mcp-Name
    plain =
      /^[\x21-\x7e]+$/.test(item.name) && !item.name.startsWith('=?') && !namesHeader(item.definition['inputSchema']);
    mirrors.set(item, plain);
  }
  return plain;
}

function namesHeader(schema: unknown): boolean {
  return JSON.stringify(schema ?? null).includes('"x-mcp-header"');
}
