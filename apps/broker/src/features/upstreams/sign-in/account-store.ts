import type { Clock } from '#platform/clock.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';

/** Named before the glossary; the name is also part of what seals the secrets. */
const table = 'upstream_connections';
/** A server that asks for ever more scopes must not grow the row without end. */
const maxScopes = 100;
const columns =
  'id, user_id, server_id, kind, state, bound_to, issuer, sealed, version, expires_at, signed_in_at, refreshed_at, account, error, scopes, wanted_scopes';

/** One person's tokens or headers at one server. Every query takes the person's id (MetaMCP #345). */
export type StoredAccount = {
  /** New with each sign-in. */
  id: string;
  userId: string;
  serverId: string;
  kind: 'oauth' | 'headers';
  state: 'signed-in' | 'needs-sign-in';
  /** The server's address that the secrets were made for. */
  boundTo: string;
  issuer: string | undefined;
  /** Counts refreshes. */
  version: number;
  expiresAt: Date | undefined;
  signedInAt: Date;
  refreshedAt: Date | undefined;
  /** Who the person is at the server, where it said so. */
  accountName: string | undefined;
  error: string | undefined;
  /** What the sign-in asked for. */
  scopes: readonly string[];
  /** What the server has asked for since. */
  wantedScopes: readonly string[];
  /** False once they are deleted; those of an account that the server refuses are kept. */
  hasSecrets: boolean;
  /** The secrets in plain text (JSON). */
  open(): string | undefined;
};

export type NewAccount = {
  kind: 'oauth' | 'headers';
  boundTo: string;
  issuer?: string | undefined;
  secrets: string;
  expiresAt?: Date | undefined;
  accountName?: string | undefined;
  scopes?: readonly string[];
};

export type AccountStore = {
  find(userId: string, serverId: string): Promise<StoredAccount | undefined>;
  list(userId: string): Promise<StoredAccount[]>;
  /** By user the servers where they are signed in by OAuth. */
  signedInServers(userIds: readonly string[]): Promise<Map<string, string[]>>;
  /** Stores an account in place of the one before, which it answers. */
  replace(userId: string, serverId: string, account: NewAccount): Promise<StoredAccount | undefined>;
  /** Answers what was removed. */
  remove(userId: string, serverId: string): Promise<StoredAccount | undefined>;
  /** Claims the refresh of this version until `until`; of all replicas one gets it. */
  claimRefresh(account: StoredAccount, until: Date): Promise<boolean>;
  releaseRefresh(account: StoredAccount): Promise<void>;
  /** False when the person has disconnected or signed in again meanwhile. */
  storeRefreshed(account: StoredAccount, refreshed: { secrets: string; expiresAt: Date | undefined }): Promise<boolean>;
  /** The server wants more scopes than the sign-in has. */
  wantScopes(account: StoredAccount, scopes: readonly string[]): Promise<void>;
  /** The server refuses the secrets. They are kept: a server may refuse for a while what it takes again later. */
  markRefused(account: StoredAccount, error: string): Promise<boolean>;
  /** The server takes them again. */
  markAccepted(userId: string, serverId: string): Promise<void>;
  /** Deletes secrets that no longer work. Answers whether they were still stored. */
  markUseless(account: StoredAccount, error: string): Promise<boolean>;
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
  scopes: string[];
  wanted_scopes: string[];
};

export function createAccountStore({
  db,
  vault,
  clock,
  ids,
}: {
  db: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
}): AccountStore {
  const now = () => new Date(clock.now());

  function read(row: Row): StoredAccount {
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
      accountName: row.account ?? undefined,
      error: row.error ?? undefined,
      scopes: row.scopes,
      wantedScopes: row.wanted_scopes,
      hasSecrets: sealed !== null,
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

    async signedInServers(userIds) {
      const { rows } = await db.query<Pick<Row, 'user_id' | 'server_id'>>(
        `select user_id, server_id from upstream_connections
         where user_id = any($1::uuid[]) and kind = 'oauth' and state = 'signed-in' order by server_id`,
        [userIds],
      );
      const byUser = Map.groupBy(rows, (row) => row.user_id);
      return new Map([...byUser].map(([userId, found]) => [userId, found.map((row) => row.server_id)]));
    },

    replace: (userId, serverId, account) =>
      db.transaction(async (query) => {
        const before = await query<Row>(
          `select ${columns} from upstream_connections where user_id = $1 and server_id = $2 for update`,
          [userId, serverId],
        );
        const [old] = before.rows;
        // the same account signs in again: what it is offered stays, and so does its pin
        if (old && !isSameAccount(read(old), account)) {
          await query('delete from personal_offers where user_id = $1 and server_id = $2', [userId, serverId]);
        }
        const id = ids.uuid();
        await query(
          `insert into upstream_connections (user_id, server_id, id, kind, state, bound_to, issuer, sealed, version,
             expires_at, signed_in_at, account, scopes)
           values ($1, $2, $3, $4, 'signed-in', $5, $6, $7, 1, $8, $9, $10, $11)
           on conflict (user_id, server_id) do update set id = excluded.id, kind = excluded.kind,
             state = excluded.state, bound_to = excluded.bound_to, issuer = excluded.issuer, sealed = excluded.sealed,
             version = 1, expires_at = excluded.expires_at, signed_in_at = excluded.signed_in_at, refreshed_at = null,
             refresh_until = null, account = excluded.account, error = null,
             scopes = excluded.scopes, wanted_scopes = '[]'`,
          [
            userId,
            serverId,
            id,
            account.kind,
            account.boundTo,
            account.issuer ?? null,
            vault.seal({ table, row: id, userId }, account.secrets),
            account.expiresAt ?? null,
            now(),
            account.accountName ?? null,
            JSON.stringify(account.scopes ?? []),
          ],
        );
        return old && read(old);
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
         where id = $1 and user_id = $2 and version = $3 and sealed is not null
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
           refresh_until = null, error = case state when 'signed-in' then null else error end
         where id = $1 and user_id = $2 and version = $3`,
        [id, userId, version, vault.seal({ table, row: id, userId }, secrets), expiresAt ?? null, now()],
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

    async markRefused({ id, userId, version }, error) {
      const { affectedRows } = await db.query(
        `update upstream_connections set state = 'needs-sign-in', error = $4, refresh_until = null
         where id = $1 and user_id = $2 and version = $3 and state = 'signed-in'`,
        [id, userId, version, error],
      );
      return affectedRows === 1;
    },

    async markAccepted(userId, serverId) {
      await db.query(
        `update upstream_connections set state = 'signed-in', error = null
         where user_id = $1 and server_id = $2 and state = 'needs-sign-in' and sealed is not null`,
        [userId, serverId],
      );
    },

    async markUseless({ id, userId, version }, error) {
      const { affectedRows } = await db.query(
        `update upstream_connections set state = 'needs-sign-in', sealed = null, error = $4, refresh_until = null
         where id = $1 and user_id = $2 and version = $3 and sealed is not null`,
        [id, userId, version, error],
      );
      return affectedRows === 1;
    },
  };
}

/**
 * Whether a new sign-in is at the same address and issuer, by the same person there, with the same permissions. With other
 * permissions a server offers other tools, and the person has just decided about them.
 */
function isSameAccount(old: StoredAccount, { boundTo, issuer, accountName, scopes = [] }: NewAccount): boolean {
  const isSamePerson = old.accountName === undefined || accountName === undefined || old.accountName === accountName;
  const before = new Set(old.scopes);
  const isSameScope = before.size === new Set(scopes).size && scopes.every((scope) => before.has(scope));
  return old.boundTo === boundTo && old.issuer === issuer && isSamePerson && isSameScope;
}
