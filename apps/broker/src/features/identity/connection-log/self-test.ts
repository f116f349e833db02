import { mcpScopes } from '@souk/contract/identity.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Ids } from '#platform/ids.ts';
import { publicClientId, readClientMetadata } from '../oauth/client-metadata.ts';
import type { PersonalTokenStore } from '../tokens/personal-token-store.ts';
import type { Patient } from './doctor/check.ts';
import { runDoctor, type Diagnosis } from './doctor/run-doctor.ts';
import { throwAwayClient } from './doctor/sign-in-checks.ts';

const everyMs = 10_000;
const maxRemembered = 10_000;
/** The token of one run: good for as long as a run may take, and taken away at its end. */
const tokenLifeMs = 120_000;

export type SelfTestOptions = {
  db: Database;
  publicUrl: string;
  tokenStore: Pick<PersonalTokenStore, 'insert'>;
  /** Tells every replica that a token is gone. */
  onRevoked(tokenId: string): Promise<void>;
  signInProvider: string;
  clock: Clock;
  ids: Ids;
};

export type SelfTest = ReturnType<typeof createSelfTest>;

/**
 * Goes the way of the common clients against this installation, by real HTTP towards PUBLIC_URL and nowhere else (but
 * the sign-in provider, for its clock). What it makes for that (a client, a token) is gone afterwards.
 */
export function createSelfTest(options: SelfTestOptions) {
  const { db, publicUrl, clock, ids } = options;
  const startedMs = new Map<string, number>();

  function limit(userId: string): void {
    const nowMs = clock.now();
    const before = startedMs.get(userId);
    if (before !== undefined && nowMs - before < everyMs) throw new SoukError('rate_limited');
    if (startedMs.size >= maxRemembered) startedMs.clear();
    startedMs.set(userId, nowMs);
  }

  async function createToken(userId: string): Promise<{ id: string; token: string }> {
    const id = ids.uuid();
    const nowMs = clock.now();
    const { token } = await options.tokenStore.insert({
      id,
      userId,
      name: 'Connection self-test',
      secret: ids.secret(32),
      scopes: mcpScopes,
      createdAt: new Date(nowMs),
      expiresAt: new Date(nowMs + tokenLifeMs),
    });
    return { id, token };
  }

  /** The token, the client, and what the connection log took the run for. */
  async function cleanUp(tokenId: string, clientName: string): Promise<void> {
    await db.query(`delete from personal_tokens where id = $1`, [tokenId]);
    await options.onRevoked(tokenId);
    const read = readClientMetadata(throwAwayClient(clientName));
    if ('metadata' in read) {
      const clientId = publicClientId(read.metadata);
      await db.query(`delete from oauth_records where model = 'Client' and id = $1`, [clientId]);
    }
    await db.query(`delete from connection_attempts where key like $1`, [`personal:${tokenId}:%`]);
  }

  return {
    /**
     * @param browser what the person's browser says of itself; its clock and address are compared with ours
     * @param settle waits until the connection log has written what it saw
     * @throws SoukError rate_limited when this person ran it less than 10 s ago
     */
    async run(
      userId: string,
      browser: NonNullable<Patient['browser']>,
      settle: () => Promise<void>,
    ): Promise<Diagnosis> {
      limit(userId);
      const { id, token } = await createToken(userId);
      const clientName = `Connection self-test ${ids.secret(6)}`;
      try {
        return await runDoctor({
          baseUrl: publicUrl,
          nowMs: () => clock.now(),
          clientName,
          token,
          browser,
          databaseNowMs: () => readDatabaseClock(db),
          signInProvider: options.signInProvider,
        });
      } finally {
        await settle();
        await cleanUp(id, clientName);
      }
    },
  };
}

async function readDatabaseClock(db: Database): Promise<number> {
  const { rows } = await db.query<{ now: Date }>(`select clock_timestamp() as now`);
  return rows[0]?.now.getTime() ?? 0;
}
