import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import {
  checkAllowed,
  createManifestRuns,
  type Catalogue,
  type ManifestRuns,
  type PeopleOfServers,
} from '#features/catalogue/index.ts';
import {
  createImports,
  createUpstreams,
  listAllowances,
  type Allowances,
  type Imports,
  type Upstreams,
} from '#features/upstreams/index.ts';
import type { App, AppOptions } from '../app-types.ts';
import type { Installation } from '../installation.ts';
import type { Platform } from './open-platform.ts';

export type UpstreamParts = {
  upstreams: Upstreams;
  imports: Imports;
  manifestRuns: ManifestRuns;
  allowList: App['allowList'];
};

type Given = {
  options: Pick<AppOptions, 'environment' | 'askTurns'>;
  installation: Installation;
  allowances: Allowances;
  catalogue: Catalogue;
  people: PeopleOfServers;
  subjectKey: Uint8Array;
  /** Whether people used a server within a day. */
  isUsed(serverId: string): boolean;
  /** Is told of each import that was staged. */
  onStaged(manifest: Manifest): Promise<unknown>;
};

/** Builds how servers are reached, and what deploys and imports them. */
export async function joinUpstreams(platform: Platform, given: Given): Promise<UpstreamParts> {
  const { config, db, vault, unread, leaving, clock, ids, log } = platform;
  const { options, allowances, catalogue, people, subjectKey, isUsed, onStaged } = given;
  const { allowlist, programs, allowAddresses, policy } = given.installation;
  const { outgoing } = leaving;
  const upstreams = await createUpstreams({
    db,
    vault,
    catalogue,
    policy,
    config,
    programs,
    allowlist,
    environment: options.environment,
    people,
    subjectKey,
    allowAddresses,
    allowances,
    outgoing,
    isUsed,
    askTurns: options.askTurns,
    unread,
    clock,
    ids,
    log,
  });
  const imports = createImports({
    db,
    catalogue,
    policy,
    allowlist,
    startsPrograms: config.stdio === 'allowlist',
    allowAddresses,
    administratorsMayAllow: config.adminMayAllow.addresses,
    administratorsMayAllowPackages: allowances.mayAddPackages,
    allowedPrograms: allowances.programs,
    publicUrl: config.publicUrl,
    outgoing,
    environment: options.environment ?? process.env,
    onStaged,
    clock,
    ids,
  });
  const manifestRuns = await createManifestRuns({
    db,
    catalogue,
    check: (manifest) => checkAllowed(manifest, policy),
    servers: { watch: upstreams.watch, reconnect: upstreams.pool.retireServer },
    clock,
    ids,
    log,
  });
  const aliases = new Set(Object.keys(allowlist));
  return {
    upstreams,
    imports,
    manifestRuns,
    allowList: () => listAllowances({ allowances, catalogue, config, aliases, emailsOf: people.emailsOf }),
  };
}
