import type { Clock } from '#platform/clock.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import { offeredSchema, type Offered } from './offered-names.ts';

const table = 'upstream_connections';
/** A server that always wants another scope does not grow the row. */
const maxScopes = 100;
const columns =
  'id, user_id, server_id, kind, state, bound_to, issuer, sealed, version, expires_at, signed_in_at, refreshed_at, account, error, offered, scopes, wanted_scopes';

/** One person's tokens or headers at one server. Every access takes the person's id (MetaMCP #345). */
export type StoredConnection = {
  /** New with each sign-in. */
  id: string;
  userId: string;
  serverId: string;
  kind: 'oauth' | 'headers';
  state: 'signed-in' | 'needs-sign-in';
  /** The server's address that the secrets were made for. */
  boundTo: string;
  issuer: string | undefined;
  /** One more with each refresh. */
  version: number;
  expiresAt: Date | undefined;
  signedInAt: Date;
  refreshedAt: Date | undefined;
  account: string | undefined;
  error: string | undefined;
  /** What the sign-in asked for. */
  scopes: readonly string[];
  /** What the server has asked for since. */
  wantedScopes: readonly string[];
  /** What the server offered over this connection when it was last asked. */
  offered: Offered | undefined;
  /** The secrets in plain text (JSON); undefined once they are no good. */
  open(): string | undefined;
};

export type NewConnection = {
  kind: 'oauth' | 'headers';
  boundTo: string;
  issuer?: string | undefined;
  secrets: string;
  expiresAt?: Date | undefined;
  account?: string | undefined;
  scopes?: readonly string[];
};

export type ConnectionStore = {
  find(userId: string, serverId: string): Promise<StoredConnection | undefined>;
  list(userId: string): Promise<StoredConnection[]>;
  /** Puts it in the place of what was there, and answers that. */
  replace(userId: string, serverId: string, connection: NewConnection): Promise<StoredConnection | undefined>;
  /** Answers what was there. */
  remove(userId: string, serverId: string): Promise<StoredConnection | undefined>;
  /** Takes the right to refresh this version until `until`; of all replicas one gets it. */
  claimRefresh(connection: StoredConnection, until: Date): Promise<boolean>;
  releaseRefresh(connection: StoredConnection): Promise<void>;
  /** False when the person has disconnected or signed in anew meanwhile. */
  storeRefreshed(
    connection: StoredConnection,
    refreshed: { secrets: string; expiresAt: Date | undefined },
  ): Promise<boolean>;
  /** Answers whether it is another offer than before; false too when the person has signed in anew meanwhile. */
  storeOffered(connection: StoredConnection, offered: Offered): Promise<boolean>;
  /** The server wants more scopes than the sign-in has. */
  wantScopes(connection: StoredConnection, scopes: readonly string[]): Promise<void>;
  /** The secrets are no good any more. Answers whether they were still there. */
  markUseless(connection: StoredConnection, error: string): Promise<boolean>;
};

type Row = {
  id: string;
  user_id: string;
  server_id: string;
  kind: 'oauth' | 'headers';
  state: 'signed-in' | 'needs-sign-in';
  bound_to: string;
  issuer: string | null;
  sealed: string | null;
  version: number;
  expires_at: Date | null;
  signed_in_at: Date;
  refreshed_at: Date | null;
  account: string | null;
  error: string | null;
  offered: unknown;
  scopes: string[];
  wanted_scopes: string[];
};

export function createConnectionStore({
  db,
  vault,
  clock,
  ids,
}: {
  db: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
}): ConnectionStore {
  const now = () => new Date(clock.now());

  function read(row: Row): StoredConnection {
    const { sealed } = row;
    return {
      id: row.id,
      userId: row.user_id,
      serverId: row.server_id,
      kind: row.kind,
      state: row.state,
      boundTo: row.bound_to,
      issuer: row.issuer ?? undefined,
      version: row.version,
      expiresAt: row.expires_at ?? undefined,
      signedInAt: row.signed_in_at,
      refreshedAt: row.refreshed_at ?? undefined,
      account: row.account ?? undefined,
      error: row.error ?? undefined,
      scopes: row.scopes,
      wantedScopes: row.wanted_scopes,
      offered: row.offered === null ? undefined : offeredSchema.parse(row.offered),
      open: () => (sealed === null ? undefined : vault.open({ table, row: row.id, userId: row.user_id }, sealed)),
    };
  }

  return {
    async find(userId, serverId) {
      const { rows } = await db.query<Row>(
        `select ${columns} from upstream_connections where user_id = $1 and server_id = $2`,
        [userId, serverId],
      );
      return rows[0] && read(rows[0]);
    },

    async list(userId) {
      const { rows } = await db.query<Row>(`select ${columns} from upstream_connections where user_id = $1`, [userId]);
      return rows.map(read);
    },

    replace: (userId, serverId, connection) =>
      db.transaction(async (query) => {
        const before = await query<Row>(
          `select ${columns} from upstream_connections where user_id = $1 and server_id = $2 for update`,
          [userId, serverId],
        );
        const id = ids.uuid();
        await query(
          `insert into upstream_connections (user_id, server_id, id, kind, state, bound_to, issuer, sealed, version,
             expires_at, signed_in_at, account, scopes)
           values ($1, $2, $3, $4, 'signed-in', $5, $6, $7, 1, $8, $9, $10, $11)
           on conflict (user_id, server_id) do update set id = excluded.id, kind = excluded.kind,
             state = excluded.state, bound_to = excluded.bound_to, issuer = excluded.issuer, sealed = excluded.sealed,
             version = 1, expires_at = excluded.expires_at, signed_in_at = excluded.signed_in_at, refreshed_at = null,
             refresh_until = null, account = excluded.account, error = null, offered = null,
             scopes = excluded.scopes, wanted_scopes = '[]'`,
          [
            userId,
            serverId,
            id,
            connection.kind,
            connection.boundTo,
            connection.issuer ?? null,
            vault.seal({ table, row: id, userId }, connection.secrets),
            connection.expiresAt ?? null,
            now(),
            connection.account ?? null,
            JSON.stringify(connection.scopes ?? []),
          ],
        );
        return before.rows[0] && read(before.rows[0]);
      }),

    async remove(userId, serverId) {
      const { rows } = await db.query<Row>(
        `delete from upstream_connections where user_id = $1 and server_id = $2 returning ${columns}`,
        [userId, serverId],
      );
      return rows[0] && read(rows[0]);
    },

    async claimRefresh({ id, userId, version }, until) {
      const { affectedRows } = await db.query(
        `update upstream_connections set refresh_until = $4
         where id = $1 and user_id = $2 and version = $3 and state = 'signed-in'
           and (refresh_until is null or refresh_until <= $5)`,
        [id, userId, version, until, now()],
      );
      return affectedRows === 1;
    },

    async releaseRefresh({ id, userId, version }) {
      await db.query(
        'update upstream_connections set refresh_until = null where id = $1 and user_id = $2 and version = $3',
        [id, userId, version],
      );
    },

    async storeRefreshed({ id, userId, version }, { secrets, expiresAt }) {
      const { affectedRows } = await db.query(
        `update upstream_connections set sealed = $4, version = version + 1, expires_at = $5, refreshed_at = $6,
           refresh_until = null, error = null
         where id = $1 and user_id = $2 and version = $3`,
        [id, userId, version, vault.seal({ table, row: id, userId }, secrets), expiresAt ?? null, now()],
      );
      return affectedRows === 1;
    },

    async storeOffered({ id, userId }, offered) {
      const { affectedRows } = await db.query(
        `update upstream_connections set offered = $3::jsonb
         where id = $1 and user_id = $2 and offered is distinct from $3::jsonb`,
        [id, userId, JSON.stringify(offered)],
      );
      return affectedRows === 1;
    },

    async wantScopes({ id, userId, wantedScopes }, scopes) {
      const all = [...new Set([...wantedScopes, ...scopes])].slice(0, maxScopes);
      await db.query('update upstream_connections set wanted_scopes = $3 where id = $1 and user_id = $2', [
        id,
        userId,
        JSON.stringify(all),
      ]);
    },

    async markUseless({ id, userId, version }, error) {
      const { affectedRows } = await db.query(
        `update upstream_connections set state = 'needs-sign-in', sealed = null, error = $4, refresh_until = null
         where id = $1 and user_id = $2 and version = $3 and state = 'signed-in'`,
        [id, userId, version, error],
      );
      return affectedRows === 1;
    },
  };
}
