import { createLocalJWKSet, type CryptoKey, type FlattenedJWSInput, type JWK, type JWSHeaderParameters } from 'jose';
import type { Clock } from '#platform/clock.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { RotatingKey } from './rotating-key.ts';
import { createSigningKeyStore } from './signing-key-store.ts';

const channel = 'identity_keys';

/** Finds the public key for a token's header; throws when there is none. */
export type FindKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

export type SigningKeys = Awaited<ReturnType<typeof loadSigningKeys>>;

/**
 * Loads the keys of this installation, which its first start creates; private parts are sealed in the database.
 * Replicas re-read them after every change, and a key is published months before it signs, so every replica knows it by
 * then.
 */
export async function loadSigningKeys(parts: { db: Database; vault: Vault; ids: Ids; clock: Clock; log: Log }) {
  const { db, log } = parts;
  const store = createSigningKeyStore(parts);
  await store.ensureFirst();
  const cookieKey = await store.readCookieKey();
  let keys = await store.readTokenKeys();
  let keySet = createLocalJWKSet({ keys: keys.published });

  async function reload(): Promise<void> {
    keys = await store.readTokenKeys();
    keySet = createLocalJWKSet({ keys: keys.published });
  }
  const onRotated = () => {
    reload().catch((error: unknown) => log.error({ err: error }, 'the signing keys could not be re-read'));
  };
  const stopListening = await db.listen(channel, onRotated, onRotated);

  return {
    /** Signs for oidc-provider, with the key that is current at that moment. */
    signer: new RotatingKey(() => keys),
    /** Public keys that may have signed a token: current, next, and retired ones until their tokens have expired. */
    publicKeys: (): readonly JWK[] => keys.published,
    findKey: ((header, token) => keySet(header, token)) satisfies FindKey,
    /** HMAC key of our cookies, the same on every replica. It never changes. */
    cookieKey,
    /** Rotates the keys that are due. Any replica may call it at any time. */
    async rotate(): Promise<void> {
      if (!(await store.rotate())) return;
      await reload();
      await db.notify(channel, 'changed');
      log.info({ current: keys.current.kid }, 'the signing keys were rotated');
    },
    stop: stopListening,
  };
}
