import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';

/** Tables of the OAuth server (clients, grants, codes, tokens, pending sign-ins) and of the accounts. */
export const oauthMigrations = [
  `CREATE TABLE oauth_record (
     model TEXT NOT NULL,
     id_hash TEXT NOT NULL,
     payload TEXT NOT NULL,
     grant_id TEXT,
     uid TEXT,
     expires_at_ms INTEGER,
     consumed_at_ms INTEGER,
     PRIMARY KEY (model, id_hash)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX oauth_record_of_grant ON oauth_record (grant_id) WHERE grant_id IS NOT NULL;
   CREATE INDEX oauth_record_of_uid ON oauth_record (model, uid) WHERE uid IS NOT NULL;
   CREATE INDEX oauth_record_by_expiry ON oauth_record (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
   CREATE TABLE account (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     name_key TEXT NOT NULL UNIQUE
   ) STRICT;
   CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`,
];

type RecordPayload = Record<string, unknown>;

const payloadSchema = z.record(z.string(), z.unknown());
const rowSchema = z.object({ payload: z.string(), consumed_at_ms: z.number().nullable() });

export type OauthRecords = {
  put(model: string, id: string, payload: RecordPayload, expiresAtMs: number | undefined): void;
  /** Returns an unexpired record, with `consumed` set if it was used. */
  find(model: string, id: string, nowMs: number): RecordPayload | undefined;
  findByUid(model: string, uid: string, nowMs: number): RecordPayload | undefined;
  /**
   * Marks a record as used.
   * @returns false if it already was; only one of two concurrent calls succeeds
   */
  consume(model: string, id: string, nowMs: number): boolean;
  remove(model: string, id: string): void;
  removeGrant(grantId: string): void;
  removeExpired(nowMs: number): void;
};

/** Creates the store of records. The id of a code or token is the code or token itself, so only its hash is stored. */
export function createOauthRecords(database: DatabaseSync): OauthRecords {
  const put = database.prepare(
    `INSERT INTO oauth_record (model, id_hash, payload, grant_id, uid, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (model, id_hash) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
       uid = excluded.uid, expires_at_ms = excluded.expires_at_ms`,
  );
  const live = '(expires_at_ms IS NULL OR expires_at_ms > ?)';
  const byId = database.prepare(`SELECT * FROM oauth_record WHERE model = ? AND id_hash = ? AND ${live}`);
  const byUid = database.prepare(`SELECT * FROM oauth_record WHERE model = ? AND uid = ? AND ${live}`);
  const consume = database.prepare(
    'UPDATE oauth_record SET consumed_at_ms = ? WHERE model = ? AND id_hash = ? AND consumed_at_ms IS NULL',
  );
  const remove = database.prepare('DELETE FROM oauth_record WHERE model = ? AND id_hash = ?');
  const removeGrant = database.prepare('DELETE FROM oauth_record WHERE grant_id = ?');
  const removeExpired = database.prepare('DELETE FROM oauth_record WHERE expires_at_ms <= ?');

  return {
    put(model, id, { jti: _jti, ...payload }, expiresAtMs) {
      const { grantId, uid } = payload;
      put.run(model, hash(id), JSON.stringify(payload), textOrNull(grantId), textOrNull(uid), expiresAtMs ?? null);
    },
    find(model, id, nowMs) {
      const payload = read(byId.get(model, hash(id), nowMs));
      return payload && { ...payload, jti: id };
    },
    findByUid: (model, uid, nowMs) => read(byUid.get(model, uid, nowMs)),
    consume: (model, id, nowMs) => consume.run(nowMs, model, hash(id)).changes > 0,
    remove: (model, id) => void remove.run(model, hash(id)),
    removeGrant: (grantId) => void removeGrant.run(grantId),
    removeExpired: (nowMs) => void removeExpired.run(nowMs),
  };
}

function read(row: unknown): RecordPayload | undefined {
  if (row === undefined) return undefined;
  const { payload, consumed_at_ms: consumedAtMs } = rowSchema.parse(row);
  const stored = payloadSchema.parse(JSON.parse(payload));
  return consumedAtMs === null ? stored : { ...stored, consumed: true };
}

function hash(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
