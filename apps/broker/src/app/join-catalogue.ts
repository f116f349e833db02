import { join } from 'node:path';
import { createCatalogue, createIcons, loadBundledManifests, loadOwnManifests } from '#features/catalogue/index.ts';
import { bundledPrograms, dropRegistrations } from '#features/upstreams/index.ts';
import type { Installation } from '../installation.ts';
import { peopleOfServers } from './people-of-servers.ts';
import { version } from '../version.ts';
import type { Platform } from './open-platform.ts';

/** Builds the catalogue with the manifests of this installation. @param livemode is not called before requests arrive */
export async function joinCatalogue(
  { config, paths, db, outbound, clock, log }: Platform,
  { allowlist, allowAddresses, policy }: Installation,
  livemode: () => boolean,
) {
  const people = peopleOfServers({ query: db.query, livemode, isCharging: config.payments !== 'off', clock });
  const catalogue = await createCatalogue({
    db,
    clock,
    log,
    bundledPrograms: bundledPrograms(allowlist),
    builtBy: version,
    versionEnds: dropRegistrations,
    ...people,
  });
  // the operator's own manifests come first, so that they replace bundled ones with the same id
  if (config.catalogueDir !== undefined) await loadOwnManifests(catalogue, config.catalogueDir, policy, log);
  const bundled = { deployed: join(paths.catalogue, 'deployed'), staged: join(paths.catalogue, 'staged') };
  if (config.bundledCatalogue) await loadBundledManifests(catalogue, bundled, policy, log);
  const { production } = config;
  const icons = createIcons({
    db,
    catalogue,
    allowAddresses,
    production,
    outgoing: outbound.outgoing,
    clock,
    log,
  });
  return { catalogue, icons, people };
}
