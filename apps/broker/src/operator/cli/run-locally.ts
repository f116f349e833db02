import { connectOpenId } from '#adapters/openid/openid-sign-in.ts';
import { isLiveKey } from '#adapters/stripe/live-key.ts';
import { createAdministrationOfDatabase, createOfferEditing, createPeoplePlans } from '#features/billing/index.ts';
import { checkCurrency, createCatalogue, createManifestRuns } from '#features/catalogue/index.ts';
import {
  administerSecrets,
  createEnvironmentPlaces,
  createImports,
  createServerSecrets,
  dropRegistrations,
  needsOf,
} from '#features/upstreams/index.ts';
import { createIdentity } from '#features/identity/index.ts';
import { systemClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { sealAsDatabaseSays } from '#platform/crypto/master-key-state.ts';
import { openVault } from '#platform/crypto/open-vault.ts';
import type { Database } from '#platform/db/database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createOutgoing } from '#platform/http/outgoing/outgoing.ts';
import { createIds } from '#platform/ids.ts';
import { createLog, type Log } from '#platform/log.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import { readInstallation } from '../../installation.ts';
import { migrations } from '../../migrations.ts';
import { auditOf } from '../../app/audit-of-database.ts';
import { version } from '../../version.ts';
import { peopleOfServers } from '../../app/people-of-servers.ts';
import { auditCommand } from '#operator/commands/audit-command.ts';
import { billingCommands } from '#operator/commands/billing-commands.ts';
import { secretCommands } from '#operator/commands/secret-commands.ts';
import { offerCommands } from '#operator/commands/offer-commands.ts';
import { operatorCommands } from '#operator/commands/operator-commands.ts';
import { paths } from '../../paths.ts';

/**
 * Runs an operator's command directly on the database while no broker is running. Does not listen and starts no service.
 * @returns the command's result, as a running broker would return it
 * @throws DataFolderInUseError if a broker has just opened the folder
 */
export async function runLocally(config: Config, command: string, args: unknown): Promise<unknown> {
  const log = createLog('error');
  const db = await openDatabase({ ...config, log, migrations });
  try {
    await migrate(db, migrations, version);
    const features = await createFeatures(config, db, log);
    try {
      const run = (await commandsOf(features, config, db, log))[command];
      if (!run) throw new Error(`there is no command ${command}`);
      return await run(args);
    } finally {
      for (const part of features.inStopOrder) await part.stop();
    }
  } finally {
    await db.close();
  }
}

async function createFeatures(config: Config, db: Database, log: Log) {
  const clock = systemClock;
  const { allowAddresses, allowlist, policy } = readInstallation(config, paths);
  const vault = openVault(config);
  await sealAsDatabaseSays(db.query, vault);
  const isLive = config.payments === 'stripe' && isLiveKey(config.stripe?.secretKey ?? '');
  const livemode = config.payments === 'off' || isLive;
  const plans = createPeoplePlans({ query: db.query, livemode, clock });
  const ids = createIds(clock);
  const identity = await createIdentity({
    db,
    config,
    clock,
    ids,
    log,
    vault,
    connectUpstream: connectOpenId,
    peoplePlans: () => plans,
    endPaid: (...asked) => administration.endPaid(...asked),
  });
  const isCharging = config.payments !== 'off';
  const people = peopleOfServers({ query: db.query, livemode: () => livemode, isCharging, clock });
  const catalogue = await createCatalogue({ db, clock, log, versionEnds: dropRegistrations, ...people });
  const secrets = await createServerSecrets({ db, vault, clock, log });
  const environment = config.upstreamSecrets;
  const places = await createEnvironmentPlaces({ db, catalogue, environment, clock, log });
  const manifestRuns = await createManifestRuns({
    db,
    catalogue,
    // the broker's guard checks addresses and programs when it connects
    check: (manifest) => checkCurrency(manifest, policy),
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
    // only a broker looks up packages at their registries
    administratorsMayAllowPackages: false,
    publicUrl: config.publicUrl,
    outgoing: createOutgoing(config.outgoingProxy),
    environment: process.env,
    clock,
    ids,
  });
  const { directory } = identity;
  const administration = createAdministrationOfDatabase({
    db,
    livemode,
    catalogue,
    directory,
    clock,
    uuid: ids.uuid,
    log,
  });
  return {
    administration,
    allowlist,
    catalogue,
    identity,
    imports,
    livemode,
    manifestRuns,
    people,
    places,
    policy,
    secrets,
    inStopOrder: [imports, manifestRuns, secrets, places, catalogue, identity],
  };
}

async function commandsOf(
  features: Awaited<ReturnType<typeof createFeatures>>,
  config: Config,
  db: Database,
  log: Log,
): Promise<OperatorCommands> {
  const { allowlist, catalogue, livemode, people, places, policy, secrets } = features;
  const offerEditing = await createOfferEditing({
    db,
    livemode,
    isSelling: config.payments !== 'off',
    currency: policy.currency,
    // only a broker knows what the payment provider has
    prices: { isOffered: () => true },
    emailsOf: people.emailsOf,
    changed: () => {},
    clock: systemClock,
    log,
  });
  const secretAdministration = administerSecrets({
    catalogue,
    secrets,
    needsOf(alias) {
      const entry = Object.hasOwn(allowlist, alias) ? allowlist[alias] : undefined;
      return entry && needsOf(alias, entry);
    },
    environment: config.upstreamSecrets,
    places,
    emailsOf: people.emailsOf,
  });
  return {
    ...operatorCommands({ ...features, missingSecretsOf: secretAdministration.missingOf }),
    ...billingCommands(features),
    ...secretCommands(secretAdministration),
    ...auditCommand(auditOf(db.query)),
    ...offerCommands({ billing: { offerEditing, payments: undefined }, db }),
  };
}
