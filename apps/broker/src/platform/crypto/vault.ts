import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** Where a secret belongs. It opens only there: a sealed text that is copied to another row or user is useless. */
export type SecretContext = { table: string; row: string; userId: string };

/** Secrets at rest. */
export type Vault = {
  /** Answers text to store: printable ASCII, some 160 characters longer than `plaintext`. */
  seal(context: SecretContext, plaintext: string): string;
  /** @throws SealedTextError when it was sealed elsewhere, was changed, or needs a key that is not given */
  open(context: SecretContext, sealed: string): string;
  /** Whether it is sealed under the current master key; otherwise it should be sealed again (rotation). */
  isCurrent(sealed: string): boolean;
};

/** A vault that may change the key with which it seals. It opens what any of its keys sealed. */
export type KeyRing = Vault & {
  /** The ids of its keys; the first is the one that it was made with. */
  readonly ids: readonly string[];
  sealingId(): string;
  /** @throws Error for the id of a key that it does not have */
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
 * AES-256-GCM with a data key for each sealed text, which the master key wraps, so that one master key never encrypts much
 * (NIST SP 800-38D bounds the uses of a key with random nonces) and rotating it only rewraps.
 * Format: v1.{id of the master key}.{wrapped data key}.{encrypted text}, the last two as nonce + ciphertext + tag in base64url.
 * @param masterKey 32 bytes in base64url, which seals until `sealWith` says otherwise; `others` open what they sealed
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
      if (!key) throw new SealedTextError(`sealed under the master key ${keyId}, which is not given`);
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

/** Names a master key without revealing it. @throws Error for what is no key */
export const masterKeyIdOf = (masterKey: string): string => readMasterKey(masterKey).id;

function readMasterKey(text: string): { id: string; bytes: Buffer } {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 32) throw new Error('a master key is 32 bytes in base64url');
  // identifies the key without revealing it
  const id = createHmac('sha256', bytes).update('souk master key id').digest('base64url').slice(0, 8);
  return { id, bytes };
}

/** The additional data. JSON keeps ("ab","c") and ("a","bc") apart. */
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
