import { serverIdSchema } from '@souk/contract/manifest.ts';
import { z } from 'zod';
import {
  checkCurrency,
  differingFields,
  parseManifest,
  type Catalogue,
  type CatalogueServer,
  type DecidedBy,
  type ManifestPolicy,
} from '#features/catalogue/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import type { CheckedManifest, DeployedManifest, ListedServers, ManifestDiff } from './manifest-results.ts';

const sourceSchema = z.object({ source: z.base64() });
const deploySchema = z.union([sourceSchema, z.object({ id: serverIdSchema, version: z.string().optional() })]);
const idSchema = z.object({ id: serverIdSchema });
const approveSchema = idSchema.extend({
  tools: z.array(z.string().max(256)).max(512),
  shown: z.string(),
  reason: z.string().optional(),
});

const byCommand: DecidedBy = { via: 'command' };

/** Checks a manifest and answers every problem of it. */
export function checkManifestSource(source: Uint8Array, policy: ManifestPolicy): CheckedManifest {
  try {
    const { id, version } = parseManifest(source, policy);
    return { ok: true, id, version };
  } catch (error) {
    if (!(error instanceof SoukError)) throw error;
    return { ok: false, code: error.code, problems: error.issues ?? [{ path: '', message: error.message }] };
  }
}

/**
 * The operator's commands on manifests.
 * @param parts.watch of a running broker; without it nothing is asked, and a deployed server waits for the next start
 */
export function manifestCommands(parts: {
  catalogue: Catalogue;
  policy: ManifestPolicy;
  watch?: Pick<Upstreams['watch'], 'asked' | 'refresh'>;
}): OperatorCommands {
  const { catalogue, policy, watch } = parts;
  const bytesOf = ({ source }: z.output<typeof sourceSchema>) => Buffer.from(source, 'base64');

  /** The version that `deploy ID` means: the staged one, else the one that was live last. */
  async function versionToDeploy(id: string): Promise<string> {
    const versions = await catalogue.versions(id);
    const staged = versions.find(({ status }) => status === 'staging');
    const newest = versions.toSorted((a, b) => (b.deployedAt?.getTime() ?? 0) - (a.deployedAt?.getTime() ?? 0))[0];
    const chosen = staged ?? newest;
    if (!chosen) throw new SoukError('not_found', { message: `There is no manifest of ${id}. Deploy a file.` });
    return chosen.version;
  }

  async function deployKnown(id: string, version: string): Promise<'deployed' | 'unchanged'> {
    if (catalogue.snapshot().byId.get(id)?.manifest.version === version) return 'unchanged';
    const known = (await catalogue.versions(id)).find((row) => row.version === version);
    if (known) checkCurrency(known.body, policy);
    await catalogue.deploy(id, version, byCommand);
    return 'deployed';
  }

  return {
    'manifest.list': async (): Promise<ListedServers> => {
      const byId = Map.groupBy(await catalogue.currentVersions(), (row) => row.serverId);
      const servers = [...byId].map(([id, rows]): ListedServers['servers'][number] => {
        const versionIn = (status: string) => rows.find((row) => row.status === status)?.version;
        const live = catalogue.snapshot().byId.get(id);
        const body = live?.manifest ?? rows[0]?.body;
        return {
          id,
          name: body?.name ?? id,
          transport: body?.connection.type ?? 'http',
          deployed: versionIn('deployed'),
          staged: versionIn('staging'),
          last: versionIn('superseded'),
          status: live?.status,
          statusDetail: live?.statusDetail,
          tools: live?.tools.length ?? 0,
          toolsUnderReview: live?.toolsUnderReview.length ?? 0,
        };
      });
      return { servers: servers.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
    },

    'manifest.check': async (args) => checkManifestSource(bytesOf(sourceSchema.parse(args)), policy),

    'manifest.deploy': async (args): Promise<DeployedManifest> => {
      const wanted = deploySchema.parse(args);
      let id: string;
      let result: 'deployed' | 'unchanged';
      if ('source' in wanted) {
        const manifest = parseManifest(bytesOf(wanted), policy);
        id = manifest.id;
        result = await catalogue.deployManifest(manifest, byCommand);
      } else {
        id = wanted.id;
        result = await deployKnown(id, wanted.version ?? (await versionToDeploy(id)));
      }
      if (result === 'unchanged') watch?.refresh([id]);
      const failure = await watch?.asked(id);
      const server = catalogue.snapshot().byId.get(id);
      if (!server) throw new SoukError('not_found', { message: `${id} was undeployed meanwhile` });
      return { ...describe(server), result, asked: watch !== undefined, failure };
    },

    'manifest.undeploy': async (args) => {
      const { id } = idSchema.parse(args);
      return { id, version: await catalogue.undeploy(id, byCommand) };
    },

    'manifest.diff': async (args): Promise<ManifestDiff> => {
      const { id } = idSchema.parse(args);
      const versions = await catalogue.versions(id);
      if (versions.length === 0) throw new SoukError('not_found', { message: `There is no manifest of ${id}.` });
      const deployed = versions.find(({ status }) => status === 'deployed');
      const staged = versions.find(({ status }) => status === 'staging');
      return {
        id,
        deployed: deployed?.version,
        staged: staged?.version,
        fields: deployed && staged ? differingFields(deployed.body, staged.body) : [],
        ...(await catalogue.pendingTools(id)),
      };
    },

    'manifest.approve': async (args) => {
      const { id, tools, shown, reason } = approveSchema.parse(args);
      return { id, approved: await catalogue.approveTools(id, tools, shown, { ...byCommand, reason }) };
    },
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
    toolsUnderReview: server.toolsUnderReview.map(({ name }) => name),
    prompts: server.prompts.map(({ name }) => name),
    resources: [...server.resources, ...server.templates].map(({ name }) => name),
  };
}
