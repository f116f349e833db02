import { serverKinds, type ListedServer } from '@souk/contract/catalogue/registries.ts';
import type { ManifestHead, ManifestSource } from '#features/catalogue/index.ts';
import { asRecord } from '#platform/json.ts';
import { findEntries, type FoundEntry } from '../import/find-entries.ts';
import { parseServerJson, readServerJson, statusOf } from '../import/server-json/read-server-json.ts';
import { registryMetaKey } from '@souk/contract/catalogue/registry.ts';
import { NotImportable } from '../import/wanted.ts';
import type { RegistryClient, RegistryQuery } from './registry-client.ts';

/** Pages read per request: a filter with few matches must not read a whole registry. */
const maxPages = 5;
const enoughServers = 20;

export type BrowseFilter = RegistryQuery & {
  kind?: ListedServer['kinds'][number] | undefined;
  importable?: boolean | undefined;
  hideDeprecated?: boolean | undefined;
};

/** Imported servers by their names in the registry. */
export type Imported = ReadonlyMap<string, { id: string; version: string | null }>;

/** @throws RegistryUnavailable */
export async function browseRegistry(
  { client, url, imported }: { client: Pick<RegistryClient, 'list'>; url: string; imported: Imported },
  { kind, importable = false, hideDeprecated = false, ...query }: BrowseFilter,
): Promise<{ servers: ListedServer[]; nextCursor: string | null; read: number }> {
  const servers: ListedServer[] = [];
  let { cursor } = query;
  let read = 0;
  for (let page = 0; page < maxPages && servers.length < enoughServers; page++) {
    const { entries, nextCursor } = await client.list(url, { ...query, cursor });
    read += entries.length;
    const found = entries.flatMap((entry) => presentServer(entry, imported) ?? []);
    servers.push(
      ...found.filter(
        (server) =>
          (kind === undefined || server.kinds.includes(kind)) &&
          (!importable || server.notImportable === null) &&
          (!hideDeprecated || server.status === 'active'),
      ),
    );
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return { servers, nextCursor: cursor ?? null, read };
}

/** Returns undefined for an entry that is not a server.json. */
function presentServer(entry: Record<string, unknown>, imported: Imported): ListedServer | undefined {
  const [found] = findEntries([entry]);
  if (found?.kind !== 'server.json') return undefined;
  const { name, entry: document, meta } = found;
  const { status, message } = statusOf(meta, textOf(document['status'], 20));
  const updatedAt = asRecord(meta?.[registryMetaKey])?.['updatedAt'];
  return {
    name: name.slice(0, 200),
    version: textOf(document['version'] ?? asRecord(document['version_detail'])?.['version'], 255) ?? '',
    title: textOf(document['title'], 100) ?? null,
    description: textOf(document['description'], 500) ?? '',
    ...judge(found),
    status,
    statusMessage: message ?? null,
    updatedAt: typeof updatedAt === 'string' && !Number.isNaN(Date.parse(updatedAt)) ? updatedAt : null,
    imported: imported.get(name) ?? null,
  };
}

function judge(found: FoundEntry): Pick<ListedServer, 'kinds' | 'notImportable'> {
  const kinds = new Set<ListedServer['kinds'][number]>();
  try {
    const { packages, remotes } = parseServerJson(found.entry);
    if (remotes.length > 0) kinds.add('remote');
    for (const { registryType } of packages) kinds.add(kindOf(registryType));
    readServerJson(found);
    return { kinds: [...kinds], notImportable: null };
  } catch (error) {
    if (!(error instanceof NotImportable)) throw error;
    return { kinds: [...kinds], notImportable: error.message.slice(0, 1000) };
  }
}

const kindOf = (type: string) => serverKinds.find((kind) => kind === type && kind !== 'remote') ?? 'other';

const textOf = (value: unknown, max: number): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, max) : undefined;

/** Returns servers here by registry name: imported from this registry, or deployed under that name. */
export function importedOf(
  registryId: string,
  heads: readonly ManifestHead[],
  sources: readonly { serverId: string; source: ManifestSource }[],
): Imported {
  const named = heads.flatMap(({ serverId, registryName }): [string, { id: string; version: null }][] =>
    registryName === null ? [] : [[registryName, { id: serverId, version: null }]],
  );
  const own = sources
    .filter(({ source }) => source.registryId === registryId)
    .map(({ serverId, source }) => [source.name, { id: serverId, version: source.version }] as const);
  return new Map<string, { id: string; version: string | null }>([...named, ...own]);
}
