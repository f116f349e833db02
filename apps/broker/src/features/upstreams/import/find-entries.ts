import { asRecord } from '#platform/json.ts';

export const maxImportEntries = 200;

/** An entry of a text, and what it is by its form. */
export type FoundEntry = {
  kind: 'client' | 'server.json' | 'manifest';
  /** As the text calls it. */
  name: string;
  entry: Record<string, unknown>;
  /** What a registry says of it beside its server.json. */
  meta?: Record<string, unknown> | undefined;
};

/**
 * The servers that a text names, in one of these forms: `mcpServers`, `servers`, `context_servers`, `mcp_servers` and `mcp` of
 * clients, a `server.json`, what a registry answers, our manifests, or a list of these.
 */
export function findEntries(value: unknown): FoundEntry[] {
  if (Array.isArray(value))
    return value.slice(0, maxImportEntries + 1).flatMap((one) => documentOf(asRecord(one)) ?? []);
  const root = asRecord(value);
  if (!root) return [];
  const document = documentOf(root);
  if (document) return [document];
  if (Array.isArray(root['servers'])) return findEntries(root['servers']);
  const named = clientServers(root);
  return Object.entries(named).map(([name, entry]) => ({ kind: 'client', name, entry: asRecord(entry) ?? {} }));
}

function documentOf(record: Record<string, unknown> | undefined): FoundEntry | undefined {
  if (!record) return undefined;
  const wrapped = asRecord(record['server']);
  if (wrapped && isServerJson(wrapped)) {
    return { kind: 'server.json', name: nameOf(wrapped), entry: wrapped, meta: asRecord(record['_meta']) };
  }
  if (isServerJson(record)) {
    return { kind: 'server.json', name: nameOf(record), entry: record, meta: asRecord(record['_meta']) };
  }
  const isManifest = asRecord(record['connection']) !== undefined && typeof record['id'] === 'string';
  return isManifest ? { kind: 'manifest', name: nameOf(record), entry: record } : undefined;
}

const nameOf = (record: Record<string, unknown>): string => {
  const { name, id } = record;
  return typeof name === 'string' && name !== '' ? name : typeof id === 'string' ? id : 'without a name';
};

function isServerJson(record: Record<string, unknown>): boolean {
  const schema = record['$schema'];
  if (typeof schema === 'string' && schema.endsWith('/server.schema.json')) return true;
  const hasPlaces = Array.isArray(record['packages']) || Array.isArray(record['remotes']);
  return hasPlaces && typeof record['name'] === 'string';
}

/** The object with the servers of a client's configuration; the inside of one alone is one too. */
function clientServers(root: Record<string, unknown>): Record<string, unknown> {
  const mcp = asRecord(root['mcp']);
  const named =
    asRecord(root['mcpServers']) ??
    asRecord(root['servers']) ??
    asRecord(root['context_servers']) ??
    asRecord(root['mcp_servers']) ??
    asRecord(root['amp.mcpServers']) ??
    asRecord(mcp?.['servers']) ??
    (mcp && Object.values(mcp).some(isClientEntry) ? mcp : undefined);
  if (named) return named;
  return Object.fromEntries(Object.entries(root).filter(([, entry]) => isClientEntry(entry)));
}

const places = ['url', 'serverUrl', 'httpUrl', 'command'];

function isClientEntry(value: unknown): boolean {
  const entry = asRecord(value);
  return entry !== undefined && places.some((name) => entry[name] !== undefined && entry[name] !== '');
}
