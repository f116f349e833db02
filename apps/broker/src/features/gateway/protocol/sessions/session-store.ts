import type { ClientCapabilities, LoggingLevel } from '@modelcontextprotocol/server';
import { createHash } from 'node:crypto';
import { logLevels } from '#adapters/mcp/upstream.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { createUserTurns } from './user-turns.ts';

const idleLimitMs = 24 * 60 * 60_000;
const maxSessionsPerUser = 100;
const batchSize = 1000;

/** The facts that the client sent in `initialize`. */
export type Initialized = {
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: { name: string; version: string; title?: string };
};

type StoredSession = Initialized & { logLevel: LoggingLevel | undefined };
type Row = { protocol_version: string; capabilities: string; client_info: string; log_level: string | null };

/** The database stores only hashes: a session id is a secret, though it gives access only together with its token. */
export function hashOfSession(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

export type SessionStore = ReturnType<typeof createSessionStore>;

/** The sessions of clients up to 2025-11-25 as rows: they survive a restart, and any process can take one up. */
export function createSessionStore({ db, clock }: { db: Database; clock: Clock }) {
  const now = () => new Date(clock.now());
  const oldest = () => new Date(clock.now() - idleLimitMs);
  const inTurn = createUserTurns();

  return {
    /**
     * Stores a session. Beyond the limit per user, the sessions that were unused longest end.
     * @returns the hashes of the sessions that have ended
     */
    add(hash: string, { caller, serverId }: RequestContext, initialized: Initialized): Promise<string[]> {
      const { protocolVersion, capabilities, clientInfo } = initialized;
      return inTurn(caller.userId, () =>
        db.transaction(async (query) => {
          // concurrent processes must not exceed the limit together
          await query(`select id from users where id = $1 for no key update`, [caller.userId]);
          // a separate statement, so that it sees what an earlier process has added
          const { rows } = await query<{ id_hash: string }>(addText, [
            hash,
            caller.userId,
            caller.tokenId,
            serverId ?? null,
            protocolVersion,
            JSON.stringify(capabilities),
            JSON.stringify(clientInfo),
            now(),
            maxSessionsPerUser - 1,
          ]);
          return rows.map((row) => row.id_hash);
        }),
      );
    },

    /** Marks a session as used and returns it; undefined if this token and link have none, or it was idle for too long. */
    async takeUp(hash: string, { caller, serverId }: RequestContext): Promise<StoredSession | undefined> {
      const { rows } = await db.query<Row>(
        `update mcp_sessions set used_at = greatest(used_at, $5)
         where id_hash = $1 and user_id = $2 and token_id = $3 and server_id is not distinct from $4 and used_at > $6
         returning protocol_version, capabilities, client_info, log_level`,
        [hash, caller.userId, caller.tokenId, serverId ?? null, now(), oldest()],
      );
      const [row] = rows;
      return (
        row && {
          protocolVersion: row.protocol_version,
          capabilities: JSON.parse(row.capabilities),
          clientInfo: JSON.parse(row.client_info),
          logLevel: levelOf(row.log_level),
        }
      );
    },

    async markUsed(uses: readonly { hash: string; usedAtMs: number }[]): Promise<void> {
      for (let start = 0; start < uses.length; start += batchSize) {
        const batch = uses.slice(start, start + batchSize);
        const usedAt = batch.map(({ usedAtMs }) => new Date(usedAtMs));
        await db.query(markUsedText, [batch.map(({ hash }) => hash), usedAt]);
      }
    },

    async setLogLevel(hash: string, level: LoggingLevel): Promise<void> {
      await db.query(`update mcp_sessions set log_level = $2 where id_hash = $1`, [hash, level]);
    },

    /** The log levels of these sessions. Sessions that have ended are missing. */
    async readLogLevels(hashes: readonly string[]): Promise<Map<string, LoggingLevel | undefined>> {
      const { rows } = await db.query<{ id_hash: string; log_level: string | null }>(
        `select id_hash, log_level from mcp_sessions where id_hash = any($1::text[])`,
        [hashes],
      );
      return new Map(rows.map((row) => [row.id_hash, levelOf(row.log_level)]));
    },

    async remove(hash: string): Promise<void> {
      await db.query(`delete from mcp_sessions where id_hash = $1`, [hash]);
    },

    async removeOfToken(tokenId: string): Promise<void> {
      await db.query(`delete from mcp_sessions where token_id = $1`, [tokenId]);
    },

    async removeExpired(): Promise<void> {
      await db.query(`delete from mcp_sessions where used_at <= $1`, [oldest()]);
    },
  };
}

export function levelOf(text: string | null | undefined): LoggingLevel | undefined {
  return logLevels.find((level) => level === text);
}

const addText = `
  with ended as (
    delete from mcp_sessions where id_hash in (
      select id_hash from mcp_sessions where user_id = $2 order by used_at desc, id_hash offset $9
    ) returning id_hash
  ), added as (
    insert into mcp_sessions
      (id_hash, user_id, token_id, server_id, protocol_version, capabilities, client_info, used_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
  )
  select id_hash from ended`;

/** Skips locked rows, which are being marked or removed elsewhere: waiting for them could end in a deadlock. */
const markUsedText = `
  with used as (
    select id_hash, one.used_at
    from unnest($1::text[], $2::timestamptz[]) as one (id_hash, used_at)
    join mcp_sessions as session using (id_hash)
    for update of session skip locked
  )
  update mcp_sessions as session set used_at = greatest(session.used_at, used.used_at)
  from used where session.id_hash = used.id_hash`;
