import { findEntries, maxImportEntries, type FoundEntry } from './find-entries.ts';
import { readClient } from './read-client.ts';
import { readImportText, UnreadableText } from './read-import-text.ts';
import { readServerJson } from './server-json/read-server-json.ts';
import { NotImportable, type ReadEntry } from './wanted.ts';

/**
 * Reads the servers that a pasted text names. Entries that cannot be imported say why.
 * @throws UnreadableText when the text has no known format
 */
export function readEntries(source: Uint8Array | string): ReadEntry[] {
  const found = findEntries(readImportText(source));
  if (found.length === 0) {
    throw new UnreadableText(
      'names no server: it needs "mcpServers", "servers", "context_servers" or "mcp", or is a server.json or a manifest',
    );
  }
  if (found.length > maxImportEntries) throw new UnreadableText(`names more than ${maxImportEntries} servers`);
  return found.map(readFound);
}

export function readFound(found: FoundEntry): ReadEntry {
  const name = found.name.slice(0, 300);
  try {
    switch (found.kind) {
      case 'manifest':
        return { name, document: found.entry, notes: [] };
      case 'client':
        return readClient(found);
      case 'server.json':
        return readServerJson(found);
    }
  } catch (error) {
    if (!(error instanceof NotImportable)) throw error;
    return { name, refused: error.message, notes: [] };
  }
}
