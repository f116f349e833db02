import type { Dispatcher } from 'undici';
import type { ThrowAwayAccess } from '#features/identity/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Ids } from '#platform/ids.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import type { Patient } from './check.ts';
import { runDoctor, type Diagnosis } from './run-doctor.ts';
import { throwAwayClient } from './sign-in-checks.ts';

/** Time between two runs of one user: a run makes about twenty requests. */
const everyMs = 10_000;
/** Life of a run's token, as long as a run may take. It is removed at the end of the run. */
const tokenLifeMs = 120_000;

export type SelfTest = {
  /**
   * @param browser facts from the user's browser; its clock and address are compared with ours
   * @throws SoukError rate_limited if this user started one less than 10 s ago
   */
  run(userId: string, browser: NonNullable<Patient['browser']>): Promise<Diagnosis>;
};

/**
 * Takes the steps of common clients at this installation, by real HTTP to PUBLIC_URL only (and to the sign-in providers, for
 * their clocks, and well-known clients, for their documents). Removes its client, token and attempt at the end.
 */
export function createSelfTest(options: {
  db: { query: Query };
  publicUrl: string;
  dispatcher: Dispatcher;
  throwAwayAccess: ThrowAwayAccess;
  signInProviders: readonly string[];
  knownDocuments: Patient['knownDocuments'];
  removeAttempts(tokenId: string): Promise<void>;
  clock: Clock;
  ids: Ids;
}): SelfTest {
  const { db, publicUrl, dispatcher, throwAwayAccess, clock, ids } = options;
  const limit = createRateLimit(1, clock, everyMs);

  return {
    async run(userId, browser) {
      if (!limit.take(userId)) throw new SoukError('rate_limited');
      const { id, token } = await throwAwayAccess.createToken(userId, 'Connection self-test', tokenLifeMs);
      const clientName = `Connection self-test ${ids.secret(6)}`;
      try {
        return await runDoctor({
          baseUrl: publicUrl,
          dispatcher,
          nowMs: () => clock.now(),
          clientName,
          token,
          browser,
          databaseNowMs: () => readDatabaseClock(db),
          signInProviders: options.signInProviders,
          knownDocuments: options.knownDocuments,
        });
      } finally {
        await throwAwayAccess.removeToken(id);
        await throwAwayAccess.removeClient(throwAwayClient(clientName));
        await options.removeAttempts(id);
      }
    },
  };
}

async function readDatabaseClock(db: { query: Query }): Promise<number> {
  const { rows } = await db.query<{ now: Date }>(`select clock_timestamp() as now`);
  return rows[0]?.now.getTime() ?? 0;
}
