import { connectOpenId } from '#adapters/openid/openid-sign-in.ts';
import { isLiveKey } from '#adapters/stripe/live-key.ts';
import { createAdministrationOfDatabase, createPeoplePlans, type Administration } from '#features/billing/index.ts';
import { checkCurrency, createCatalogue, createManifestRuns } from '#features/catalogue/index.ts';
import { createIdentity } from '#features/identity/index.ts';
import { systemClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { readMasterKey } from '#platform/crypto/master-key.ts';
import { createVault } from '#platform/crypto/vault.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createIds } from '#platform/ids.ts';
import { createLog } from '#platform/log.ts';
import { readInstallation } from '../../installation.ts';
import { migrations } from '../../migrations.ts';
import { peopleOfServers } from '../../people-of-servers.ts';
import { billingCommands } from '#operator/commands/billing-commands.ts';
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
    await migrate(db, migrations);
    const { policy } = readInstallation(config, paths);
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
      vault: createVault(readMasterKey(config)),
      connectUpstream: connectOpenId,
      peoplePlans: () => plans,
      endPaid: async (...asked) => administration?.endPaid(...asked) ?? [],
    });
    const people = peopleOfServers({ query: db.query, livemode: () => livemode, clock: systemClock });
    const catalogue = await createCatalogue({ db, clock: systemClock, log, ...people });
    const manifestRuns = await createManifestRuns({
      db,
      catalogue,
      // which addresses and programs are allowed decides the broker's guard when it connects
      check: (manifest) => checkCurrency(manifest, policy),
      clock: systemClock,
      ids,
      log,
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
      const commands = {
        ...operatorCommands({ identity, catalogue, policy, people, manifestRuns }),
        ...billingCommands({ identity, administration }),
      };
      const run = commands[command];
      if (!run) throw new Error(`there is no command ${command}`);
      return await run(args);
    } finally {
      await manifestRuns.stop();
      await catalogue.stop();
      await identity.stop();
    }
  } finally {
    await db.close();
  }
}
