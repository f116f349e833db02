import type { Clock } from '#platform/clock.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';

/** The table is older than the word "upstream account". Its name is part of the context that secrets are sealed for. */
const table = 'upstream_connections';
/** Scopes stored per account: a server that keeps asking for more must not grow the row without limit. */
const maxScopes = 100;
const columns = `id, user_id as "userId", server_id as "serverId", kind, state, bound_to as "boundTo", issuer, sealed, version,
  expires_at as "expiresAt", signed_in_at as "signedInAt", refreshed_at as "refreshedAt", account as "accountName", error,
  scopes, wanted_scopes as "wantedScopes"`;
const selection = `select ${columns} from upstream_connections where user_id = $1`;

/** A user's tokens or headers at one server. Every query takes the user's id (MetaMCP #345). */
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
  /** Version of the secrets, from 1; each refresh adds one. */
  version: number;
  expiresAt: Date | undefined;
  signedInAt: Date;
  refreshedAt: Date | undefined;
  /** The user's name at the server, if it gave one. */
  accountName: string | undefined;
  error: string | undefined;
  /** Scopes that the sign-in asked for. */
  scopes: readonly string[];
  /** Scopes that the server has asked for since. */
  wantedScopes: readonly string[];
  /** False if the secrets were deleted. Those that the server refuses are kept. */
  hasSecrets: boolean;
  /** Returns the secrets in plain text (JSON). */
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

export type StoreParts = { db: Database; vault: Vault; clock: Clock; ids: Ids };

type Row = Omit<
  StoredAccount,
  'issuer' | 'expiresAt' | 'refreshedAt' | 'accountName' | 'error' | 'hasSecrets' | 'open'
> &
  Record<'issuer' | 'accountName' | 'error' | 'sealed', string | null> &
  Record<'expiresAt' | 'refreshedAt', Date | null>;

export function createAccountStore(parts: StoreParts) {
  const { db, vault } = parts;
  const now = () => new Date(parts.clock.now());
  const whole = (row: Row | undefined) => row && read(row, vault);
  const seal = ({ id, userId }: StoredAccount, secrets: string) => vault.seal({ table, row: id, userId }, secrets);
  const update = (account: StoredAccount, set: string, values: readonly unknown[], condition?: string) =>
    updateVersion(db.query, account, set, values, condition);

  return {
    async find(userId: string, serverId: string): Promise<StoredAccount | undefined> {
      const { rows } = await db.query<Row>(`${selection} and server_id = $2`, [userId, serverId]);
      return whole(rows[0]);
    },

    async list(userId: string): Promise<StoredAccount[]> {
      const { rows } = await db.query<Row>(selection, [userId]);
      return rows.map((row) => read(row, vault));
    },

    /** Returns, by user, the servers at which they are signed in by OAuth. */
    async signedInServers(userIds: readonly string[]): Promise<Map<string, string[]>> {
      const { rows } = await db.query<Pick<Row, 'userId' | 'serverId'>>(
        `select user_id as "userId", server_id as "serverId" from upstream_connections
         where user_id = any($1::uuid[]) and kind = 'oauth' and state = 'signed-in' order by server_id`,
        [userIds],
      );
      const byUser = Map.groupBy(rows, (row) => row.userId);
      return new Map([...byUser].map(([userId, found]) => [userId, found.map((row) => row.serverId)]));
    },

    /** Stores an account in place of the previous one, which it returns. */
    replace: (userId: string, serverId: string, account: NewAccount): Promise<StoredAccount | undefined> =>
      db.transaction((query) => replace(query, { userId, serverId }, account, parts)),

    async remove(userId: string, serverId: string): Promise<StoredAccount | undefined> {
      const { rows } = await db.query<Row>(
        `delete from upstream_connections where user_id = $1 and server_id = $2 returning ${columns}`,
        [userId, serverId],
      );
      return whole(rows[0]);
    },

    /** Claims the refresh of this version until `until`. Only one replica gets it. */
    claimRefresh: (account: StoredAccount, until: Date): Promise<boolean> =>
      update(
        account,
        'refresh_until = $4',
        [until, now()],
        'sealed is not null and (refresh_until is null or refresh_until <= $5)',
      ),

    releaseRefresh: (account: StoredAccount): Promise<unknown> => update(account, 'refresh_until = null', []),

    /** Returns false when the user has disconnected or signed in again meanwhile. */
    storeRefreshed: (
      account: StoredAccount,
      { secrets, expiresAt }: { secrets: string; expiresAt: Date | undefined },
    ): Promise<boolean> =>
      update(
        account,
        `sealed = $4, version = version + 1, expires_at = $5, refreshed_at = $6, refresh_until = null,
           error = case state when 'signed-in' then null else error end`,
        [seal(account, secrets), expiresAt ?? null, now()],
      ),

    async wantScopes({ id, userId, wantedScopes }: StoredAccount, scopes: readonly string[]): Promise<void> {
      const all = [...new Set([...wantedScopes, ...scopes])].slice(0, maxScopes);
      await db.query('update upstream_connections set wanted_scopes = $3 where id = $1 and user_id = $2', [
        id,
        userId,
        JSON.stringify(all),
      ]);
    },

    /** Stores that the server refuses the secrets. They are kept: a server may refuse them only for a while. */
    markRefused: (account: StoredAccount, error: string): Promise<boolean> =>
      update(account, `state = 'needs-sign-in', error = $4, refresh_until = null`, [error], `state = 'signed-in'`),

    async markAccepted(userId: string, serverId: string): Promise<void> {
      await db.query(
        `update upstream_connections set state = 'signed-in', error = null
         where user_id = $1 and server_id = $2 and state = 'needs-sign-in' and sealed is not null`,
        [userId, serverId],
      );
    },

    /** Deletes secrets that no longer work. Returns whether they were still stored. */
    markUseless: (account: StoredAccount, error: string): Promise<boolean> =>
      update(
        account,
        `state = 'needs-sign-in', sealed = null, error = $4, refresh_until = null`,
        [error],
        'sealed is not null',
      ),
  };
}

export type AccountStore = ReturnType<typeof createAccountStore>;

/** Updates this version of an account, unless the user has disconnected or signed in again meanwhile. */
async function updateVersion(
  query: Query,
  { id, userId, version }: StoredAccount,
  set: string,
  values: readonly unknown[],
  condition = 'true',
): Promise<boolean> {
  const { affectedRows } = await query(
    `update upstream_connections set ${set} where id = $1 and user_id = $2 and version = $3 and ${condition}`,
    [id, userId, version, ...values],
  );
  return affectedRows === 1;
}

function read({ sealed, ...row }: Row, vault: Vault): StoredAccount {
  return {
    ...row,
    issuer: row.issuer ?? undefined,
    expiresAt: row.expiresAt ?? undefined,
    refreshedAt: row.refreshedAt ?? undefined,
    accountName: row.accountName ?? undefined,
    error: row.error ?? undefined,
    hasSecrets: sealed !== null,
    open: () => (sealed === null ? undefined : vault.open({ table, row: row.id, userId: row.userId }, sealed)),
  };
}

async function replace(
  query: Query,
  { userId, serverId }: Pick<StoredAccount, 'userId' | 'serverId'>,
  account: NewAccount,
  { vault, ids, clock }: StoreParts,
): Promise<StoredAccount | undefined> {
  const { rows } = await query<Row>(`${selection} and server_id = $2 for update`, [userId, serverId]);
  const old = rows[0] && read(rows[0], vault);
  // when the same account signs in again, its personal tools and their pins stay
  if (old && !isSameAccount(old, account)) {
    await query('delete from personal_tools where user_id = $1 and server_id = $2', [userId, serverId]);
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
      new Date(clock.now()),
      account.accountName ?? null,
      JSON.stringify(account.scopes ?? []),
    ],
  );
  return old;
}

/**
 * Returns whether a new sign-in has the same address, issuer, user there and permissions. With other permissions a
 * server lists other tools, and the user has just decided about them.
 */
function isSameAccount(old: StoredAccount, { boundTo, issuer, accountName, scopes = [] }: NewAccount): boolean {
  const isSamePerson = old.accountName === undefined || accountName === undefined || old.accountName === accountName;
  const before = new Set(old.scopes);
  const isSameScope = before.size === new Set(scopes).size && scopes.every((scope) => before.has(scope));
  return old.boundTo === boundTo && old.issuer === issuer && isSamePerson && isSameScope;
}
