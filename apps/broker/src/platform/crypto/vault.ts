import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** The place of a secret. A sealed text opens only there: copied to another row or user, it is useless. */
export type SecretContext = { table: string; row: string; userId: string };

export type Vault = {
  /** Returns text to store: printable ASCII, some 160 characters longer than `plaintext`. */
  seal(context: SecretContext, plaintext: string): string;
  /** @throws SealedTextError if it was sealed for another place, was changed, or needs a missing key */
  open(context: SecretContext, sealed: string): string;
  /** Whether it is sealed under the current master key; otherwise it should be resealed (rotation). */
  isCurrent(sealed: string): boolean;
};

/** A vault with several keys. It seals with one of them, and opens what any of them sealed. */
export type KeyRing = Vault & {
  /** The ids of its keys, its first key first. */
  readonly ids: readonly string[];
  sealingId(): string;
  /** @throws Error for an unknown id */
  sealWith(keyId: string): void;
};

export class SealedTextError extends Error {
  override name = 'SealedTextError';
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const version = 'v1';

/**
 * Encrypts with AES-256-GCM and a data key per sealed text. The master key only wraps data keys, so that it never encrypts
 * much (NIST SP 800-38D bounds the uses of a key with random nonces).
 * Format: v1.{id of the master key}.{wrapped data key}.{encrypted text}, the last two as nonce + ciphertext + tag in base64url.
 * @param masterKey 32 bytes in base64url, which seals until `sealWith` chooses another; `others` open what they sealed
 */
export function createVault(masterKey: string, others: readonly string[] = []): KeyRing {
  const keys = new Map([masterKey, ...others].map(readMasterKey).map((key) => [key.id, key.bytes]));
  let current = readMasterKey(masterKey);
  return {
    ids: [...keys.keys()],
    sealingId: () => current.id,
    sealWith(id) {
      const bytes = keys.get(id);
      if (!bytes) throw new Error(`there is no master key ${id}`);
      current = { id, bytes };
    },
    seal(context, plaintext) {
      const dataKey = randomBytes(32);
      const bound = bind(context, current.id);
      const parts = [encrypt(current.bytes, dataKey, bound), encrypt(dataKey, Buffer.from(plaintext, 'utf8'), bound)];
      return [version, current.id, ...parts.map((part) => part.toString('base64url'))].join('.');
    },
    open(context, sealed) {
      const { keyId, wrapped, encrypted } = parse(sealed);
      const key = keys.get(keyId);
      if (!key) throw new SealedTextError(`sealed under the master key ${keyId}, which is not configured`);
      const bound = bind(context, keyId);
      try {
        return decrypt(decrypt(key, wrapped, bound), encrypted, bound).toString('utf8');
      } catch (cause) {
        throw new SealedTextError('this sealed text was changed, or belongs to another place', { cause });
      }
    },
    isCurrent: (sealed) => parse(sealed).keyId === current.id,
  };
}

/** Identifies a master key without revealing it. @throws Error for an invalid key */
export const masterKeyIdOf = (masterKey: string): string => readMasterKey(masterKey).id;

function readMasterKey(text: string): { id: string; bytes: Buffer } {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 32) throw new Error('a master key is 32 bytes in base64url');
  const id = createHmac('sha256', bytes).update('souk master key id').digest('base64url').slice(0, 8);
  return { id, bytes };
}

/** Encodes the additional data. JSON keeps ("ab","c") and ("a","bc") apart. */
function bind({ table, row, userId }: SecretContext, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([version, keyId, table, row, userId]), 'utf8');
}

function encrypt(key: Buffer, plaintext: Buffer, additional: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(additional);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, box: Buffer, additional: Buffer): Buffer {
  if (box.length < nonceBytes + tagBytes) throw new Error('too short');
  const decipher = createDecipheriv(algorithm, key, box.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(additional).setAuthTag(box.subarray(-tagBytes));
  return Buffer.concat([decipher.update(box.subarray(nonceBytes, -tagBytes)), decipher.final()]);
}

function parse(sealed: string): { keyId: string; wrapped: Buffer; encrypted: Buffer } {
  const [head, keyId, wrapped, encrypted, ...rest] = sealed.split('.');
  if (head !== version || !keyId || !wrapped || !encrypted || rest.length > 0)
    throw new SealedTextError('not a sealed text');
  return { keyId, wrapped: Buffer.from(wrapped, 'base64url'), encrypted: Buffer.from(encrypted, 'base64url') };
}
