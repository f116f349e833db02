import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';

export const accountNameSchema = z.string().trim().normalize('NFKC').min(1).max(60);

export type Accounts = {
  /** Returns the id of the account with that name (case-insensitive), creating it if needed. Demo accounts have no password. */
  findOrCreate(name: string, newId: () => string): string;
  exists(accountId: string): boolean;
};

export function createAccounts(database: DatabaseSync): Accounts {
  const insert = database.prepare('INSERT INTO account VALUES (?, ?, ?) ON CONFLICT (name_key) DO NOTHING');
  const byName = database.prepare('SELECT id FROM account WHERE name_key = ?');
  const byId = database.prepare('SELECT id FROM account WHERE id = ?');
  return {
    findOrCreate(name, newId) {
      const key = name.toLowerCase();
      insert.run(newId(), name, key);
      return String(byName.get(key)?.['id']);
    },
    exists: (accountId) => byId.get(accountId) !== undefined,
  };
}

const keysSchema = z.object({ signingKey: z.record(z.string(), z.string()), cookieKey: z.string() });
export type OauthKeys = z.infer<typeof keysSchema>;

/**
 * Reads the keys of this installation, which are created at its first start and stored in its database (readable by its owner
 * only).
 */
export function readOauthKeys(database: DatabaseSync): OauthKeys {
  const stored = database.prepare("SELECT value FROM setting WHERE name = 'oauth-keys'").get();
  if (stored) return keysSchema.parse(JSON.parse(String(stored['value'])));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = keysSchema.parse({
    signingKey: { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: 'notes-1' },
    cookieKey: randomBytes(32).toString('base64url'),
  });
  database.prepare("INSERT INTO setting VALUES ('oauth-keys', ?)").run(JSON.stringify(keys));
  return keys;
}
