import type { ImportEntry, ImportSource } from '@souk/contract/admin/imports.ts';
import { checkManifest, type Catalogue, type ManifestActor, type ManifestSource } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { createGuardedDispatcher } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import { createUpstreamAddressRule } from '#platform/http/outgoing/upstream-address-rule.ts';
import type { Ids } from '#platform/ids.ts';
import type { AllowlistEntry, StdioAllowlist } from '../processes/stdio-allowlist.ts';
import { browseRegistry, importedOf as importedFrom, type BrowseFilter } from '../registries/browse-registry.ts';
import { createRegistryClient, RegistryUnavailable, type RegistryClient } from '../registries/registry-client.ts';
import { createRegistryStore, type RegistryStore } from '../registries/registry-store.ts';
import { createRegistryUpdates, type RegistryUpdates } from '../registries/registry-updates.ts';
import { findEntries } from './find-entries.ts';
import { createVersionFinder, withVersions } from './find-version.ts';
import type { Rules } from './judge-import.ts';
import { importedOf } from './merge-import.ts';
import { planImport } from './plan-import.ts';
import { readEntries, readFound } from './read-entries.ts';
import { UnreadableText } from './read-import-text.ts';
import type { ReadEntry } from './wanted.ts';

type StagedImport = { id: string; version: string; result: 'staged' | 'unchanged' | 'refused'; message?: string };
type ChosenImport = { manifest: Record<string, unknown>; source?: ImportSource | undefined };
type FromRegistry = { registryId: string; servers: readonly { name: string; version: string }[] };
type FromSource = ReadEntry & { source?: ImportSource | undefined };

/** Imports servers from texts and registries, for the administrators' screen and the operator's command. */
export type Imports = {
  readonly registries: RegistryStore;
  readonly updates: RegistryUpdates;
  /**
   * Returns what would be staged, and why other entries would not.
   * @throws SoukError import_unreadable, not_found, registry_unavailable
   */
  preview(from: { text: Uint8Array | string } | FromRegistry): Promise<ImportEntry[]>;
  /** Stages each manifest separately: a refused one does not affect the others. */
  stage(chosen: readonly ChosenImport[], by: ManifestActor): Promise<StagedImport[]>;
  /** @throws SoukError not_found, registry_unavailable */
  browse(registryId: string, filter: BrowseFilter): ReturnType<typeof browseRegistry>;
  stop(): Promise<void>;
};

type ImportOptions = Rules & {
  db: Pick<Database, 'query' | 'transaction'>;
  catalogue: Catalogue;
  allowlist: StdioAllowlist;
  /** Packages that administrators allowed, by alias. */
  allowedPrograms?: (() => ReadonlyMap<string, AllowlistEntry>) | undefined;
  /** Allowed private addresses as host:port or CIDR. */
  allowAddresses: readonly string[];
  outgoing?: Outgoing | undefined;
  /** Contains npm's own settings. */
  environment: NodeJS.ProcessEnv;
  onStaged?: ((manifest: ReturnType<typeof checkManifest>) => Promise<unknown>) | undefined;
  clock: Clock;
  ids: Pick<Ids, 'uuid'>;
};

export function createImports(options: ImportOptions): Imports {
  const { db, catalogue, allowAddresses, clock } = options;
  const dispatcher = createGuardedDispatcher({
    allowAddresses,
    // a registry's answer decides what is started here
    publicNeedsTls: true,
    connections: 4,
    outgoing: options.outgoing,
  });
  const client = createRegistryClient(dispatcher);
  const addressProblem = createUpstreamAddressRule({ ...options, production: true, administratorsMayAllow: false });
  const registries = createRegistryStore({ ...options, addressProblem });
  const updates = createRegistryUpdates({ query: db.query, catalogue, registries, client, clock });
  const findVersion = createVersionFinder({ dispatcher, environment: options.environment });
  const parts = { ...options, registries, client };
  return {
    registries,
    updates,
    async preview(from) {
      const read: FromSource[] = 'text' in from ? readText(from.text) : await readRegistry(from, parts);
      const exact = await withVersions(read, findVersion);
      const entries = exact.map((entry, index) => ({ ...entry, source: read[index]?.source }));
      // the operator's list has precedence
      const allowlist = { ...Object.fromEntries(options.allowedPrograms?.() ?? []), ...options.allowlist };
      return planImport(entries, { ...options, allowlist });
    },
    async stage(chosen, by) {
      const results: StagedImport[] = [];
      for (const one of chosen) results.push(await stageOne(one, by, parts));
      return results;
    },
    async browse(registryId, filter) {
      const { url, name } = await registries.find(registryId);
      const [heads, sources] = [await catalogue.currentVersions(), await catalogue.sources()];
      const imported = importedFrom(registryId, heads, sources);
      return browseRegistry({ client, url, imported }, filter).catch((error: unknown) => {
        throw asSoukError(error, name);
      });
    },
    stop: () => dispatcher.destroy(),
  };
}

type ImportParts = ImportOptions & { registries: RegistryStore; client: RegistryClient };

async function readRegistry(
  { registryId, servers }: FromRegistry,
  { registries, client }: ImportParts,
): Promise<FromSource[]> {
  const { url, name: registryName } = await registries.find(registryId);
  const read: FromSource[] = [];
  for (const { name, version } of servers) {
    const answer = await client.find(url, name, version).catch((error: unknown) => {
      throw asSoukError(error, registryName);
    });
    const [found] = answer ? findEntries([answer]) : [];
    if (found?.kind !== 'server.json' || found.name !== name) {
      const refused = answer
        ? 'its registry returned another server under this name'
        : 'its registry has no such version';
      read.push({ name, refused, notes: [] });
      continue;
    }
    const own = found.entry['version'];
    read.push({
      ...readFound(found),
      source: { registryId, name, version: typeof own === 'string' ? own : version },
    });
  }
  return read;
}

async function stageOne(
  { manifest: given, source }: ChosenImport,
  by: ManifestActor,
  parts: ImportParts,
): Promise<StagedImport> {
  try {
    const manifest = checkManifest(given, parts.policy);
    const from = source && (await sourceOf(source, given, parts));
    const { result } = await parts.catalogue.upload(manifest, { ...by, source: from });
    if (result === 'staged') await parts.onStaged?.(manifest);
    return { id: manifest.id, version: manifest.version, result };
  } catch (error) {
    if (!(error instanceof SoukError)) throw error;
    return { id: textOf(given['id']), version: textOf(given['version']), result: 'refused', message: error.message };
  }
}

async function sourceOf(
  { registryId, name, version }: ImportSource,
  given: Record<string, unknown>,
  { registries }: ImportParts,
): Promise<ManifestSource> {
  const registry = await registries.find(registryId);
  return {
    registryId,
    registry: { name: registry.name, url: registry.url },
    name,
    version,
    imported: importedOf(given),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 100) : '');

function asSoukError(error: unknown, registry: string): unknown {
  if (!(error instanceof RegistryUnavailable)) return error;
  return new SoukError('registry_unavailable', {
    message: `${registry} cannot be read: ${error.message}`,
    cause: error,
  });
}

function readText(text: Uint8Array | string): ReadEntry[] {
  try {
    return readEntries(text);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    throw new SoukError('import_unreadable', { message: `The text ${error.message}.`, cause: error });
  }
}
