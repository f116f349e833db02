import { createLocalJWKSet, type CryptoKey, type FlattenedJWSInput, type JWK, type JWSHeaderParameters } from 'jose';
import type { Clock } from '#platform/clock.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { RotatingKey } from './rotating-key.ts';
import { createSigningKeyStore } from './signing-key-store.ts';

const channel = 'identity_keys';

/** Finds the public key for the header of a token; throws when there is none. */
export type FindKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

export type SigningKeys = {
  /** For oidc-provider: signs with the key that is current at that moment. */
  signer: RotatingKey;
  /** Public keys that a token may be signed with: current, next, and retired ones whose tokens have not all expired. */
  publicKeys(): readonly JWK[];
  /** Picks from `publicKeys` as they are at the moment of the verification. */
  findKey: FindKey;
  /** HMAC key of our cookies, the same on every replica. It stays. */
  cookieKey: string;
  /** Moves the keys on as their age wants it; on any replica, at any time, however often. */
  rotate(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * The keys of this installation, made at the first start and kept in the database with sealed private parts. Replicas hear
 * of every change and read again; a key is published for months before it signs, so that none meets one that it cannot know.
 */
export async function loadSigningKeys(options: {
  db: Database;
  vault: Vault;
  ids: Ids;
  clock: Clock;
  log: Log;
}): Promise<SigningKeys> {
  const { db, log } = options;
  const store = createSigningKeyStore(options);
  await store.ensureFirst();
  const cookieKey = await store.readCookieKey();
  let keys = await store.readTokenKeys();
  let keySet = createLocalJWKSet({ keys: keys.published });

  async function reload(): Promise<void> {
    keys = await store.readTokenKeys();
    keySet = createLocalJWKSet({ keys: keys.published });
  }
  const readAgain = () => {
    reload().catch((error: unknown) => log.error({ err: error }, 'the signing keys could not be read again'));
  };
  const stopListening = await db.listen(channel, readAgain, readAgain);

  return {
    signer: new RotatingKey(() => keys),
    publicKeys: () => keys.published,
    findKey: (header, token) => keySet(header, token),
    cookieKey,
    async rotate() {
      if (!(await store.rotate())) return;
      await reload();
      await db.notify(channel, 'changed');
      log.info({ current: keys.current.kid }, 'the signing keys have moved on');
    },
    stop: stopListening,
  };
}
