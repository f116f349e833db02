import type { ClientCapabilities, LoggingLevel } from '@modelcontextprotocol/server';
import { createHash } from 'node:crypto';
import { logLevels } from '#adapters/mcp/upstream.ts';
import type { Clock } from '#platform/clock.ts';
import { isDatabaseLost } from '#platform/db/database-errors.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { RequestContext } from '../../view/request-context.ts';

/** How long a session lives without a use. */
const idleLimitMs = 24 * 60 * 60_000;
const maxSessionsPerUser = 100;
/** As many sessions are marked as used in one statement. */
const batchSize = 1000;

/** What the client said in `initialize`. */
export type Initialized = {
  /** The negotiated revision. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: { name: string; version: string; title?: string };
};

export type StoredSession = Initialized & { logLevel: LoggingLevel | undefined };

/** The sessions of clients up to 2025-11-25 as rows: they survive a restart, and any process can take one up. */
export type SessionStore = {
  /**
   * Stores a session; the longest unused beyond the limit of this user end.
   * @returns the hashes of those that have ended
   */
  add(hash: string, context: RequestContext, initialized: Initialized): Promise<string[]>;
  /** Marks a session as used; undefined if this token and link have no such session, or it was idle for too long. */
  takeUp(hash: string, context: RequestContext): Promise<StoredSession | undefined>;
  /** Marks sessions as used at these times, in batches. */
  markUsed(uses: readonly { hash: string; usedAtMs: number }[]): Promise<void>;
  setLogLevel(hash: string, level: LoggingLevel): Promise<void>;
  /** The level of each of these sessions; one that has ended is not among them. */
  readLogLevels(hashes: readonly string[]): Promise<Map<string, LoggingLevel | undefined>>;
  remove(hash: string): Promise<void>;
  removeOfToken(tokenId: string): Promise<void>;
  removeExpired(): Promise<void>;
};

/** The database has no ids of sessions: an id is the half of a secret that stands in a header. */
export function hashOfSession(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

type Row = { protocol_version: string; capabilities: string; client_info: string; log_level: string | null };

export function createSessionStore({ db, clock }: { db: Database; clock: Clock }): SessionStore {
  const now = () => new Date(clock.now());
  const oldest = () => new Date(clock.now() - idleLimitMs);

  /** The last opening of each user under way: those that wait for it must not each hold a database connection. */
  const opening = new Map<string, Promise<unknown>>();

  function inTurn<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const before = opening.get(userId) ?? Promise.resolve();
    const turn = before.then(work, (error: unknown) => {
      // each of those that wait would find out for itself, one after the other
      if (isDatabaseLost(error)) throw error;
      return work();
    });
    opening.set(userId, turn);
    const leave = () => void (opening.get(userId) === turn && opening.delete(userId));
    turn.then(leave, leave);
    return turn;
  }

  return {
    add(hash, { caller, serverId }, { protocolVersion, capabilities, clientInfo }) {
      const add = async (query: Query) => {
        // two processes at once cannot pass the limit either
        await query(`select id from users where id = $1 for no key update`, [caller.userId]);
        // a statement of its own, since it must see what a process before it has added
        const { rows } = await query<{ id_hash: string }>(
          `with ended as (
             delete from mcp_sessions where id_hash in (
               select id_hash from mcp_sessions where user_id = $2 order by used_at desc, id_hash offset $9
             ) returning id_hash
           ), added as (
             insert into mcp_sessions
               (id_hash, user_id, token_id, server_id, protocol_version, capabilities, client_info, used_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
           )
           select id_hash from ended`,
          [
            hash,
            caller.userId,
            caller.tokenId,
            serverId ?? null,
            protocolVersion,
            JSON.stringify(capabilities),
            JSON.stringify(clientInfo),
            now(),
            maxSessionsPerUser - 1,
          ],
        );
        return rows.map((row) => row.id_hash);
      };
      return inTurn(caller.userId, () => db.transaction(add));
    },

    async takeUp(hash, { caller, serverId }) {
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

    async markUsed(uses) {
      for (let start = 0; start < uses.length; start += batchSize) {
        const batch = uses.slice(start, start + batchSize);
        // rows that are locked are being marked or removed elsewhere; waiting for them could end in a deadlock
        await db.query(
          `with used as (
             select id_hash, one.used_at
             from unnest($1::text[], $2::timestamptz[]) as one (id_hash, used_at)
             join mcp_sessions as session using (id_hash)
             for update of session skip locked
           )
           update mcp_sessions as session set used_at = greatest(session.used_at, used.used_at)
           from used where session.id_hash = used.id_hash`,
          [batch.map(({ hash }) => hash), batch.map(({ usedAtMs }) => new Date(usedAtMs))],
        );
      }
    },

    async setLogLevel(hash, level) {
      await db.query(`update mcp_sessions set log_level = $2 where id_hash = $1`, [hash, level]);
    },

    async readLogLevels(hashes) {
      const { rows } = await db.query<{ id_hash: string; log_level: string | null }>(
        `select id_hash, log_level from mcp_sessions where id_hash = any($1::text[])`,
        [hashes],
      );
      return new Map(rows.map((row) => [row.id_hash, levelOf(row.log_level)]));
    },

    async remove(hash) {
      await db.query(`delete from mcp_sessions where id_hash = $1`, [hash]);
    },

    async removeOfToken(tokenId) {
      await db.query(`delete from mcp_sessions where token_id = $1`, [tokenId]);
    },

    async removeExpired() {
      await db.query(`delete from mcp_sessions where used_at <= $1`, [oldest()]);
    },
  };
}

export function levelOf(text: string | null | undefined): LoggingLevel | undefined {
  return logLevels.find((level) => level === text);
}
