import type { ImportEntry, ImportSource } from '@souk/contract/admin/imports.ts';
import { completeManifest, manifestSchema, type Manifest } from '@souk/contract/manifest/manifest.ts';
import { differencesOf, nextVersion, type Catalogue, type ManifestHead } from '#features/catalogue/index.ts';
import type { StdioAllowlist } from '../processes/stdio-allowlist.ts';
import { draftManifest, type Drafted } from './draft-manifest.ts';
import { baseId, createIds, type GiveId } from './give-ids.ts';
import { judge, nothing, type Rules } from './judge-import.ts';
import { mergeImport } from './merge-import.ts';
import type { OwnManifest, ReadEntry, WantedServer } from './wanted.ts';

export type PlanFacts = Rules & {
  catalogue: Pick<Catalogue, 'currentVersions' | 'versions' | 'findManifest' | 'sources'>;
  allowlist: StdioAllowlist;
};

/** Returns what would be staged for these servers, and why others would not. Stages nothing. */
export async function planImport(
  entries: readonly (ReadEntry & { source?: ImportSource | undefined })[],
  facts: PlanFacts,
): Promise<ImportEntry[]> {
  const heads = await facts.catalogue.currentVersions();
  const taken = new Set(heads.map(({ serverId }) => serverId));
  const giveId = createIds((id) => taken.has(id));
  const planned: ImportEntry[] = [];
  const named = new Map<string, string>();
  for (const entry of entries) {
    const { source } = entry;
    const repeated = refuseRepeated(entry, named);
    planned.push({ ...(repeated ?? (await planOne(entry, { ...facts, heads, giveId }))), ...(source && { source }) });
  }
  return planned;
}

/**
 * Refuses a server that was named before: a registry's list of versions names a server several times, and only the
 * first one is used.
 */
function refuseRepeated(entry: ReadEntry, named: Map<string, string>): ImportEntry | undefined {
  const { registryName, version = '' } = 'look' in entry ? entry.look : {};
  if (registryName === undefined) return undefined;
  const first = named.get(registryName);
  if (first === undefined) {
    named.set(registryName, version);
    return undefined;
  }
  const reason = `the text names this server several times: only the first one${first === '' ? '' : `, version ${first},`} is imported`;
  return { ...nothing, name: entry.name, result: 'refused', reason };
}

type Given = PlanFacts & { heads: readonly ManifestHead[]; giveId: GiveId };

async function planOne(entry: ReadEntry, given: Given): Promise<ImportEntry> {
  const { name } = entry;
  if ('refused' in entry) return { ...nothing, name, result: 'refused', reason: entry.refused, notes: entry.notes };
  if ('document' in entry) return planManifest(entry, given);
  const existing = findExisting(entry, given.heads);
  const id = existing?.serverId ?? given.giveId(name);
  const drafted = draftManifest(entry, id, given.allowlist);
  if (!existing) return judge(name, drafted, drafted.manifest, [], given);
  const current = await currentManifest(id, given);
  const [last] = await given.catalogue.sources(id);
  const { manifest, kept } = mergeImport(current ?? {}, drafted.manifest, last?.source.imported);
  const notes = kept.map((field) => `Its ${field} was changed here and is kept.`);
  // a source without a version keeps the current one
  const version = entry.look.version === undefined ? current?.version : drafted.manifest['version'];
  const versioned = await withFreeVersion({ ...manifest, version }, current, given);
  return judge(name, drafted, versioned, notes, given, current);
}

/** Returns the server here with the entry's registry name, or with its id and the same connection. */
function findExisting({ name, look, target }: WantedServer, heads: readonly ManifestHead[]): ManifestHead | undefined {
  const { registryName } = look;
  const named = registryName === undefined ? undefined : heads.find((head) => head.registryName === registryName);
  if (named) return named;
  const id = baseId(name);
  return heads.find(({ serverId, connection }) => {
    if (serverId !== id) return false;
    if (connection.type === 'stdio') return target.kind === 'program';
    return target.kind === 'address' && connection.url === target.url;
  });
}

async function currentManifest(id: string, { catalogue, heads }: Given): Promise<Manifest | undefined> {
  const own = heads.filter(({ serverId }) => serverId === id);
  const shown = own.find(({ status }) => status === 'staging') ?? own[0];
  return shown && catalogue.findManifest(id, shown.version);
}

/** Raises the version of a manifest if it exists here with other content. */
async function withFreeVersion(
  manifest: Record<string, unknown>,
  current: Manifest | undefined,
  { catalogue }: Given,
): Promise<Record<string, unknown>> {
  const version = String(manifest['version']);
  if (!current || differsFrom(current, manifest).length === 0) return manifest;
  const taken = new Set((await catalogue.versions(current.id)).map((head) => head.version));
  return taken.has(version) ? { ...manifest, version: nextVersion(version, taken) } : manifest;
}

/** Lists the differences from the current manifest. @param manifest may be invalid: `judge` reports that */
function differsFrom(current: Manifest, manifest: Record<string, unknown>): string[] {
  const parsed = manifestSchema.safeParse(completeManifest(manifest));
  return parsed.success ? differencesOf(current, parsed.data).map(({ text }) => text) : ['not valid'];
}

async function planManifest({ name, document, notes }: OwnManifest, given: Given): Promise<ImportEntry> {
  const parsed = manifestSchema.safeParse(completeManifest(document));
  const connection = parsed.success ? parsed.data.connection : undefined;
  const headers = parsed.success && parsed.data.auth.type === 'headers' ? parsed.data.auth.headers : [];
  const target = connection === undefined ? '' : connection.type === 'stdio' ? connection.command : connection.url;
  const drafted: Drafted = { manifest: document, secrets: [], target, notes };
  const current = parsed.success ? await currentManifest(parsed.data.id, given) : undefined;
  const entry = judge(name, drafted, document, [], given, current);
  const wanted = headers
    .filter(({ from }) => from === 'operator')
    .map(({ name: header }) => `Set the value of its header ${header}, unless it is already set.`);
  return { ...entry, notes: [...entry.notes, ...wanted] };
}
