import { compactVerify } from 'jose';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { sha256 } from '../hash.ts';
import { createFailureLimit } from '../oauth/limit-failures.ts';
import type { FindKey } from '../oauth/keys/signing-keys.ts';
import { isPersonalToken } from '../tokens/personal-token-store.ts';
import { readBearer } from './bearer.ts';

/**
 * Says how long an address must wait that guesses tokens, in seconds; 0 while it may go on.
 * To be asked after a token was refused: good tokens never wait, from whatever address they come.
 */
export type GuessLimit = (authorization: string, address: string) => Promise<number>;

/**
 * Only a token that was never issued here is a guess. One that has expired or was revoked gets its 401 however many come
 * from its address, because its client signs in again only then, and hosted clients share addresses.
 */
export function createGuessLimit(options: {
  db: Pick<Database, 'query' | 'brokers'>;
  findKey: FindKey;
  clock: Clock;
}): GuessLimit {
  const { db } = options;
  const failures = createFailureLimit(options.clock, db.brokers);

  async function wasIssuedHere(token: string): Promise<boolean> {
    if (isPersonalToken(token)) {
      const { rows } = await db.query(`select 1 from personal_tokens where token_hash = $1`, [sha256(token)]);
      return rows.length > 0;
    }
    return compactVerify(token, options.findKey, { algorithms: ['ES256'] }).then(
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
