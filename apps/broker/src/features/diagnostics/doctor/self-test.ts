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

/** A run makes some twenty requests: each person may start one in this time. */
const everyMs = 10_000;
/** The token of one run: valid for as long as a run may take, and removed at its end. */
const tokenLifeMs = 120_000;

export type SelfTest = {
  /**
   * @param browser what the person's browser says of itself; its clock and address are compared with ours
   * @throws SoukError rate_limited when this person started one less than 10 s ago
   */
  run(userId: string, browser: NonNullable<Patient['browser']>): Promise<Diagnosis>;
};

/**
 * Goes the way of the common clients against this installation, by real HTTP to PUBLIC_URL and nowhere else (but the
 * sign-in providers, for their clocks, and well-known clients, for their documents). The client, the token and the attempt
 * that this makes are removed at the end.
 */
export function createSelfTest(options: {
  db: { query: Query };
  publicUrl: string;
  dispatcher: Dispatcher;
  throwAwayAccess: ThrowAwayAccess;
  signInProviders: readonly string[];
  knownDocuments: Patient['knownDocuments'];
  /** Forgets the attempts that were made with this personal token. */
  removeAttempts(tokenId: string): Promise<void>;
  clock: Clock;
  ids: Ids;
}): SelfTest {
  const { db, publicUrl, dispatcher, throwAwayAccess, clock, ids } = options;
  const limit = createRateLimit(1, clock, everyMs);

  async function cleanUp(tokenId: string, clientName: string): Promise<void> {
    await throwAwayAccess.removeToken(tokenId);
    await throwAwayAccess.removeClient(throwAwayClient(clientName));
    await options.removeAttempts(tokenId);
  }

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
        await cleanUp(id, clientName);
      }
    },
  };
}

async function readDatabaseClock(db: { query: Query }): Promise<number> {
  const { rows } = await db.query<{ now: Date }>(`select clock_timestamp() as now`);
  return rows[0]?.now.getTime() ?? 0;
}
