import { adminReason } from '@souk/contract/admin/users.ts';
import { serverIdSchema } from '@souk/contract/manifest/manifest-basics.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { z } from 'zod';
import {
  hiddenTools,
  servedTools,
  manageManifests,
  parseManifest,
  readDifferences,
  readManifest,
  sharedFolderNotes,
  type Catalogue,
  type CatalogueServer,
  type ManifestActor,
  type ManifestPolicy,
  type PeopleOfServers,
} from '#features/catalogue/index.ts';
import type { SecretAdministration, Upstreams } from '#features/upstreams/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type {
  CheckedManifest,
  DeletedManifest,
  DeployedManifest,
  ListedServers,
  ManifestDiff,
  ShownManifest,
  StagedManifest,
} from './manifest-results.ts';

const sourceSchema = z.object({ source: z.base64() });
const stageSchema = sourceSchema.extend({ reason: adminReason });
const idSchema = z.object({ id: serverIdSchema });
const showSchema = idSchema.extend({ version: z.string().optional() });
const deploySchema = z.union([stageSchema, showSchema.extend({ reason: adminReason })]);
const deleteSchema = idSchema.extend({ reason: adminReason });
const diffedSchema = idSchema.extend({ from: z.string().optional(), to: z.string().optional() });
const approveSchema = idSchema.extend({
  tools: z.array(z.string().max(256)).max(512),
  shown: z.string(),
  reason: adminReason,
});

type ListedManifest = Awaited<ReturnType<ReturnType<typeof manageManifests>['list']>>[number];

const byCommand: ManifestActor = { via: 'command' };

/** Checks a manifest and returns all its problems. */
export function checkManifestSource(source: Uint8Array, policy: ManifestPolicy): CheckedManifest {
  try {
    const manifest = parseManifest(source, policy);
    const notes = sharedFolderNotes(manifest, policy);
    return { ok: true, id: manifest.id, version: manifest.version, ...(notes.length > 0 && { notes }) };
  } catch (error) {
    if (!(error instanceof SoukError)) throw error;
    return { ok: false, code: error.code, problems: error.issues ?? [{ path: '', message: error.message }] };
  }
}

/**
 * The operator's commands on manifests.
 * @param parts.watch undefined if no broker runs: a deployed server is then discovered at the next start
 */
export function manifestCommands(parts: {
  catalogue: Catalogue;
  policy: ManifestPolicy;
  people: PeopleOfServers;
  missingSecretsOf?: SecretAdministration['missingOf'] | undefined;
  watch?: Pick<Upstreams['watch'], 'asked' | 'refresh'>;
}): OperatorCommands {
  const { catalogue, policy, people, watch } = parts;
  const bytesOf = ({ source }: z.output<typeof sourceSchema>) => Buffer.from(source, 'base64');

  const manifests = manageManifests(parts);
  const notesOf = (manifest: Manifest): { notes?: string[] } => {
    const notes = [...catalogue.priceWarnings(manifest), ...sharedFolderNotes(manifest, policy)];
    return notes.length > 0 ? { notes } : {};
  };

  return {
    'manifest.list': async (): Promise<ListedServers> => {
      return { running: watch !== undefined, servers: (await manifests.list()).map(presentListed) };
    },

    'manifest.check': async (args) => checkManifestSource(bytesOf(sourceSchema.parse(args)), policy),

    'manifest.deploy': async (args): Promise<DeployedManifest> => {
      const wanted = deploySchema.parse(args);
      const by = { ...byCommand, reason: wanted.reason };
      let id: string;
      let result: 'deployed' | 'unchanged';
      if ('source' in wanted) {
        const manifest = parseManifest(bytesOf(wanted), policy);
        id = manifest.id;
        result = await catalogue.deployManifest(manifest, by);
        if (result === 'unchanged') watch?.refresh([id], true);
      } else {
        id = wanted.id;
        ({ result } = await manifests.deploy(id, wanted.version, by));
      }
      const failure = await watch?.asked(id);
      const server = catalogue.snapshot().byId.get(id);
      if (!server) throw new SoukError('not_found', { message: `${id} was undeployed meanwhile` });
      return { ...describe(server), result, asked: watch !== undefined, failure, ...notesOf(server.manifest) };
    },

    'manifest.undeploy': async (args) => {
      const { id, reason } = deleteSchema.parse(args);
      return { id, ...(await catalogue.undeploy(id, { ...byCommand, reason })) };
    },

    'manifest.show': async (args): Promise<ShownManifest> => {
      const { id, version } = showSchema.parse(args);
      return readManifest({ ...people, catalogue }, id, version);
    },

    'manifest.stage': async (args): Promise<StagedManifest> => {
      const { source, reason: why } = stageSchema.parse(args);
      const manifest = parseManifest(bytesOf({ source }), policy);
      const { id, version } = manifest;
      const staged = await catalogue.upload(manifest, { ...byCommand, reason: why });
      return { id, version, ...staged, ...notesOf(manifest) };
    },

    'manifest.delete': async (args): Promise<DeletedManifest> => {
      const { id, reason: why } = deleteSchema.parse(args);
      return { id, ...(await catalogue.deleteManifest(id, { ...byCommand, reason: why })) };
    },

    'manifest.diff': async (args): Promise<ManifestDiff> => {
      const { id, ...named } = diffedSchema.parse(args);
      const found = await readDifferences(
        { ...people, catalogue, policy, missingSecretsOf: parts.missingSecretsOf },
        id,
        named,
      );
      const versions = await catalogue.versions(id);
      const versionIn = (status: string) => versions.find((head) => head.status === status)?.version;
      return {
        id,
        deployed: versionIn('deployed'),
        staged: versionIn('staging'),
        ...found,
        ...(await catalogue.pendingTools(id)),
      };
    },

    'manifest.approve': async (args) => {
      const { id, tools, shown, reason } = approveSchema.parse(args);
      return { id, approved: await catalogue.approveTools(id, tools, shown, { ...byCommand, reason }) };
    },
  };
}

function presentListed({ id, deployed, staged, last, live, shown }: ListedManifest): ListedServers['servers'][number] {
  return {
    id,
    name: shown.name,
    transport: shown.connection.type,
    deployed: deployed?.version,
    staged: staged?.version,
    last: last?.version,
    status: live?.status,
    statusDetail: live?.statusDetail,
    tools: live ? servedTools(live).length : 0,
    toolsUnderReview: live ? hiddenTools(live).waiting.length : 0,
  };
}

function describe(server: CatalogueServer): Omit<DeployedManifest, 'result' | 'asked' | 'failure'> {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    id: server.id,
    version: server.manifest.version,
    status: server.status,
    statusDetail: server.statusDetail,
    tools: server.tools.map(({ name, exposedName, definition }) => ({
      name,
      exposedName,
      description: text(definition['description']),
    })),
    toolsUnderReview: hiddenTools(server).waiting.map(({ name }) => name),
    prompts: server.prompts.map(({ name }) => name),
    resources: [...server.resources, ...server.templates].map(({ name }) => name),
  };
}
