import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { ExternalSigningKey } from 'oidc-provider';

export type TokenKeys = {
  current: JWK;
  /** Public keys. */
  published: JWK[];
  /** Private keys by id, of every key that was not deleted. */
  privateKeys: ReadonlyMap<string, JWK>;
};

/**
 * The one signing key that oidc-provider knows. Its keys are fixed at creation and ours change while it runs, so this
 * one always represents the current key.
 */
export class RotatingKey extends ExternalSigningKey {
  readonly #keys: () => TokenKeys;

  constructor(keys: () => TokenKeys) {
    super();
    this.#keys = keys;
  }

  override get kid(): string | undefined {
    return this.#keys().current.kid;
  }

  override get alg(): string {
    return 'ES256';
  }

  override keyObject(): KeyObject {
    return createPublicKey({ key: this.#keys().current, format: 'jwk' });
  }

  /** Signs with the key that the JWS header names: the current key may have changed since the header was written. */
  override sign(data: Uint8Array): Uint8Array {
    const [header = ''] = Buffer.from(data).toString('latin1').split('.');
    const { kid }: { kid?: string } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
    const jwk = this.#keys().privateKeys.get(kid ?? '');
    if (!jwk) throw new Error('the signing key with this id no longer exists');
    const key = createPrivateKey({ key: jwk, format: 'jwk' });
    return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
  }
}
