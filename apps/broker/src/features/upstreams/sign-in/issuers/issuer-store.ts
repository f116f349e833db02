import { sql, type Kysely } from 'kysely';
import { writeAudit, writeCausedAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { IssuerPlace } from './issuer-place.ts';

/** Audit rows per server and day: a server that names another issuer with each sign-in must not fill the audit log. */
const maxAuditRowsADay = 20;

/** Where users sign in at each server: what administrators have confirmed, and what the server named. */
export function createIssuerStore({ db, clock }: { db: Database; clock: Clock }) {
  const kysely: Kysely<Record<never, never>> = db.kysely;
  const now = () => new Date(clock.now());
  return {
    async findConfirmed(serverId: string): Promise<{ place: IssuerPlace; at: Date } | undefined> {
      const { rows } = await db.query<{ place: IssuerPlace; at: Date }>(
        `select place, confirmed_at as at from upstream_issuers
         where server_id = $1 and place is not null and confirmed_at is not null`,
        [serverId],
      );
      return rows[0];
    },

    /** Replaces the confirmed place, with an audit row. */
    confirm: (serverId: string, place: IssuerPlace, { actorId }: { actorId: string }): Promise<void> =>
      kysely.transaction().execute(async (tx) => {
        const at = now();
        await sql`insert into upstream_issuers (server_id, place, confirmed_at, last_endpoint)
          values (${serverId}, ${JSON.stringify(place)}::jsonb, ${at}, ${place.authorizationEndpoint})
          on conflict (server_id) do update set place = excluded.place, confirmed_at = excluded.confirmed_at,
            last_endpoint = excluded.last_endpoint, refused_place = null, refused_at = null`.execute(tx);
        const details = { ...place };
        await writeAudit(tx, { actorId, action: 'sign-in.issuer-confirmed', subject: serverId, details }, at);
      }),

    /** Stores a place that is not allowed. Returns whether it differs from the last one; then it has an audit row. */
    recordRefused: (serverId: string, place: IssuerPlace): Promise<boolean> =>
      kysely.transaction().execute(async (tx) => {
        const at = now();
        const { numAffectedRows } =
          await sql`insert into upstream_issuers as known (server_id, refused_place, refused_at)
          values (${serverId}, ${JSON.stringify(place)}::jsonb, ${at})
          on conflict (server_id) do update set refused_place = excluded.refused_place, refused_at = excluded.refused_at
          where known.refused_place is distinct from excluded.refused_place`.execute(tx);
        if (numAffectedRows !== 1n) return false;
        const source = { source: `sign-in of ${serverId}`, subject: serverId, maxRowsADay: maxAuditRowsADay };
        const details = { ...place };
        const entry: AuditEntry = { actorId: undefined, action: 'sign-in.issuer-refused', subject: serverId, details };
        await writeCausedAudit(tx, source, [entry], at);
        return true;
      }),

    /** Stores that users may be sent to a place. An earlier refused place no longer needs a decision. */
    async recordAllowed(serverId: string, { authorizationEndpoint }: IssuerPlace): Promise<void> {
      await db.query(
        `insert into upstream_issuers as known (server_id, last_endpoint) values ($1, $2)
         on conflict (server_id) do update
           set last_endpoint = excluded.last_endpoint, refused_place = null, refused_at = null
           where known.last_endpoint is distinct from excluded.last_endpoint or known.refused_at is not null`,
        [serverId, authorizationEndpoint],
      );
    },

    /** Returns, by server, the authorization endpoint that the server named last, if it is allowed. */
    async lastEndpoints(serverIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const { rows } = await db.query<{ server_id: string; last_endpoint: string }>(
        `select server_id, last_endpoint from upstream_issuers
         where server_id = any($1::text[]) and last_endpoint is not null and refused_at is null`,
        [serverIds],
      );
      return new Map(rows.map((row) => [row.server_id, row.last_endpoint]));
    },
  };
}

export type IssuerStore = ReturnType<typeof createIssuerStore>;
