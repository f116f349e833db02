import { asRecord } from '#platform/json.ts';
import { addressMembers } from './client-entry.ts';

export const maxImportEntries = 200;

export type FoundEntry = {
  kind: 'client' | 'server.json' | 'manifest';
  name: string;
  entry: Record<string, unknown>;
  /** A registry's metadata besides the server.json. */
  meta?: Record<string, unknown> | undefined;
};

/**
 * Finds the servers that a text names: in one or several tables of clients (`mcpServers`, `servers`, `context_servers`,
 * `mcp_servers`, `mcp`), a `server.json`, a registry's answer, our manifests, a single entry, or a list of these. Other
 * values among servers are returned too, so that the preview can say why they are not imported.
 */
export function findEntries(value: unknown): FoundEntry[] {
  if (Array.isArray(value)) return value.some(mayBeServer) ? entriesOfList(value) : [];
  const root = asRecord(value);
  if (!root) return [];
  const document = documentOf(root);
  if (document) return [document];
  const tables = tablesOf(root);
  if (tables.length > 0) return tables.flatMap(entriesOfTable);
  if (isClientEntry(root)) return [entryOf(root, 1)];
  // the content of a table, without the table's name
  const inside = Object.entries(root).filter(([, entry]) => asRecord(entry) !== undefined);
  return inside.some(([, entry]) => isClientEntry(entry)) ? entriesOfTable(Object.fromEntries(inside)) : [];
}

const mayBeServer = (item: unknown) => asRecord(item) !== undefined || isAddress(item);
const isAddress = (item: unknown): item is string => typeof item === 'string' && /^(?:https?|wss?):\/\//.test(item);

function entriesOfList(list: readonly unknown[]): FoundEntry[] {
  return list.slice(0, maxImportEntries + 1).flatMap((item, index) => {
    const record = isAddress(item) ? { url: item } : asRecord(item);
    const found = record ? findEntries(record) : [];
    return found.length > 0 ? found : [entryOf(record ?? {}, index + 1)];
  });
}

function entriesOfTable(table: Table): FoundEntry[] {
  if (Array.isArray(table)) return entriesOfList(table);
  return Object.entries(table).map(([name, given]) => {
    const entry = asRecord(given) ?? (isAddress(given) ? { url: given } : {});
    return documentOf(entry) ?? { kind: 'client', name, entry };
  });
}

/** Names an entry that has no key. @param place its position in the text, from 1 */
function entryOf(entry: Record<string, unknown>, place: number): FoundEntry {
  const named = [entry['name'], entry['server_label'], entry['id'], entry['title'], placeOf(entry)];
  const name = named.find((one) => typeof one === 'string' && one !== '');
  return { kind: 'client', name: typeof name === 'string' ? name : `entry ${place}`, entry };
}

/** Returns the host of an entry's address, or its program. */
function placeOf(given: Record<string, unknown>): string | undefined {
  const entry = { ...given, ...asRecord(given['transport']) };
  const command: unknown = entry['command'];
  const url = addressMembers.map((member) => entry[member]).find((one) => typeof one === 'string');
  if (typeof url === 'string') return URL.parse(url)?.hostname;
  const program: unknown = Array.isArray(command) ? command[0] : command;
  return typeof program === 'string' ? program.split(/[/\\]/).at(-1) : undefined;
}

function documentOf(record: Record<string, unknown> | undefined): FoundEntry | undefined {
  if (!record) return undefined;
  const wrapped = asRecord(record['server']);
  const entry = wrapped && isServerJson(wrapped) ? wrapped : record;
  if (isServerJson(entry)) {
    return { kind: 'server.json', name: nameOf(entry), entry, meta: asRecord(record['_meta']) };
  }
  const isNamed = typeof record['id'] === 'string' || typeof record['serviceType'] === 'string';
  const isManifest = asRecord(record['connection']) !== undefined && isNamed;
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

const tableNames = ['mcpServers', 'servers', 'context_servers', 'mcp_servers', 'amp.mcpServers'];

/** Returns the tables of a client's configuration, wherever they are. */
function tablesOf(root: Record<string, unknown>): Table[] {
  const mcp = asRecord(root['mcp']);
  const ofMcp = mcp && Object.values(mcp).some(isClientEntry) ? mcp : undefined;
  // Claude Code has one per folder
  const ofProjects = Object.values(asRecord(root['projects']) ?? {}).map(
    (project) => asRecord(project)?.['mcpServers'],
  );
  const named = [...tableNames.map((name) => root[name]), mcp?.['servers'], mcp?.['mcpServers'], ofMcp, ...ofProjects];
  return named.filter(isTable);
}

type Table = Record<string, unknown> | readonly unknown[];
const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null;

/** Returns whether a value says where a server is, in any form. */
function isClientEntry(value: unknown): boolean {
  const entry = asRecord(value);
  if (!entry) return false;
  const isPlace = (place: unknown) => place !== undefined && place !== null && place !== '' && !asRecord(place);
  const { command } = entry;
  return (
    addressMembers.some((member) => isPlace(entry[member])) ||
    isPlace(command) ||
    asRecord(command)?.['path'] !== undefined ||
    isClientEntry(entry['transport'])
  );
}
