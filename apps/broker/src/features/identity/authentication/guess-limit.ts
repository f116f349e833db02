import { compactVerify } from 'jose';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { sha256 } from '../hash.ts';
import { createFailureLimit } from '../oauth/limit-failures.ts';
import type { FindKey } from '../oauth/keys/signing-keys.ts';
import { isPersonalToken } from '../tokens/personal-token-store.ts';
import { readBearer } from './bearer.ts';

/**
 * Seconds that an address must wait because it guesses tokens; 0 while it may continue. Call it only after a token was
 * refused: valid tokens never wait.
 */
export type GuessLimit = (authorization: string, address: string) => Promise<number>;

/**
 * Counts guesses: tokens that were never issued here. An expired or revoked token always gets its 401, because its
 * client signs in again only then, and hosted clients share addresses.
 */
export function createGuessLimit(parts: {
  db: Pick<Database, 'query' | 'brokers'>;
  findKey: FindKey;
  clock: Clock;
}): GuessLimit {
  const { db } = parts;
  const failures = createFailureLimit(parts.clock, db.brokers);

  async function wasIssuedHere(token: string): Promise<boolean> {
    if (isPersonalToken(token)) {
      const { rows } = await db.query(`select 1 from personal_tokens where token_hash = $1`, [sha256(token)]);
      return rows.length > 0;
    }
    return compactVerify(token, parts.findKey, { algorithms: ['ES256'] }).then(
      () => true,
      () => false,
    );
  }

  return async (authorization, address) => {
    const token = readBearer(authorization);
    if (token !== undefined && (await wasIssuedHere(token))) return 0;
    const waitSeconds = failures.secondsToWait(address);
    if (waitSeconds === 0) failures.count(address);
    return waitSeconds;
  };
}
