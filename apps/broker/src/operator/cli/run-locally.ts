import { connectOpenId } from '#adapters/openid/openid-sign-in.ts';
import { isLiveKey } from '#adapters/stripe/live-key.ts';
import {
  createAdministrationOfDatabase,
  createOfferEditing,
  createPeoplePlans,
  type Administration,
} from '#features/billing/index.ts';
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
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createOutgoing } from '#platform/http/outgoing/outgoing.ts';
import { createIds } from '#platform/ids.ts';
import { createLog } from '#platform/log.ts';
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
 * Runs an operator's command directly on the database when no broker is running. Does not listen and starts no service.
 * @returns the command's result, as a running broker would return it
 * @throws DataFolderInUseError when a broker has just opened the folder
 */
export async function runLocally(config: Config, command: string, args: unknown): Promise<unknown> {
  const log = createLog('error');
  const db = await openDatabase({ ...config, log, migrations });
  try {
    await migrate(db, migrations, version);
    const { allowAddresses, allowlist, policy } = readInstallation(config, paths);
    const vault = openVault(config);
    await sealAsDatabaseSays(db.query, vault);
    const isLive = config.payments === 'stripe' && isLiveKey(config.stripe?.secretKey ?? '');
    const livemode = config.payments === 'off' || isLive;
    const plans = createPeoplePlans({ query: db.query, livemode, clock: systemClock });
    const ids = createIds(systemClock);
    /** It needs the catalogue, which needs the accounts. */
    let administration: Administration | undefined;
    const identity = await createIdentity({
      db,
      config,
      clock: systemClock,
      ids,
      log,
      vault,
      connectUpstream: connectOpenId,
      peoplePlans: () => plans,
      endPaid: async (...asked) => administration?.endPaid(...asked) ?? [],
    });
    const people = peopleOfServers({
      query: db.query,
      livemode: () => livemode,
      isCharging: config.payments !== 'off',
      clock: systemClock,
    });
    const catalogue = await createCatalogue({ db, clock: systemClock, log, versionEnds: dropRegistrations, ...people });
    const secrets = await createServerSecrets({ db, vault, clock: systemClock, log });
    const environment = config.upstreamSecrets;
    const places = await createEnvironmentPlaces({ db, catalogue, environment, clock: systemClock, log });
    const manifestRuns = await createManifestRuns({
      db,
      catalogue,
      // which addresses and programs are allowed decides the broker's guard when it connects
      check: (manifest) => checkCurrency(manifest, policy),
      clock: systemClock,
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
      // what a registry has of a package, a broker looks up
      administratorsMayAllowPackages: false,
      publicUrl: config.publicUrl,
      outgoing: createOutgoing(config.outgoingProxy),
      environment: process.env,
      clock: systemClock,
      ids,
    });
    try {
      const { directory } = identity;
      administration = createAdministrationOfDatabase({
        db,
        livemode,
        catalogue,
        directory,
        clock: systemClock,
        uuid: ids.uuid,
        log,
      });
      const offerEditing = await createOfferEditing({
        db,
        livemode,
        isSelling: config.payments !== 'off',
        currency: policy.currency,
        // what the payment provider has, a broker knows
        prices: { isOffered: () => true },
        emailsOf: people.emailsOf,
        changed: () => {},
        clock: systemClock,
        log,
      });
      const ofSecrets = administerSecrets({
        catalogue,
        secrets,
        needsOf(alias) {
          const entry = Object.hasOwn(allowlist, alias) ? allowlist[alias] : undefined;
          return entry && needsOf(alias, entry);
        },
        environment,
        places,
        emailsOf: people.emailsOf,
      });
      const commands = {
        ...operatorCommands({
          identity,
          catalogue,
          policy,
          people,
          manifestRuns,
          imports,
          missingSecretsOf: ofSecrets.missingOf,
        }),
        ...billingCommands({ identity, administration }),
        ...secretCommands(ofSecrets),
        ...auditCommand(auditOf(db.query)),
        ...offerCommands({ billing: { offerEditing, payments: undefined }, db }),
      };
      const run = commands[command];
      if (!run) throw new Error(`there is no command ${command}`);
      return await run(args);
    } finally {
      await imports.stop();
      await manifestRuns.stop();
      await secrets.stop();
      await places.stop();
      await catalogue.stop();
      await identity.stop();
    }
  } finally {
    await db.close();
  }
}
