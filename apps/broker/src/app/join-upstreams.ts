import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { checkAllowed, createManifestRuns, type Catalogue, type PeopleOfServers } from '#features/catalogue/index.ts';
import { createImports, createUpstreams, listAllowances, type Allowances } from '#features/upstreams/index.ts';
import type { AppOptions } from '../app-types.ts';
import type { Installation } from '../installation.ts';
import type { Platform } from './open-platform.ts';

type Parts = {
  options: Pick<AppOptions, 'environment' | 'askTurns'>;
  installation: Installation;
  allowances: Allowances;
  catalogue: Catalogue;
  people: PeopleOfServers;
  subjectKey: Uint8Array;
  /** Returns whether a server was used within the last day. */
  isUsed(serverId: string): boolean;
  /** Called for each import that was staged. */
  onStaged(manifest: Manifest): Promise<unknown>;
};

export async function joinUpstreams(platform: Platform, parts: Parts) {
  const { config, db, vault, unread, outbound, clock, ids, log } = platform;
  const { options, allowances, catalogue, people, subjectKey, isUsed, onStaged } = parts;
  const { allowlist, programs, allowAddresses, policy } = parts.installation;
  const { outgoing } = outbound;
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
