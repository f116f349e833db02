import { sql, type Kysely } from 'kysely';
import { writeAudit, writeCausedAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { IssuerPlace } from './issuer-place.ts';

/** More than any administrator reads; a server that names another issuer with each sign-in must not fill the audit log. */
const maxAuditRowsADay = 20;

export type StoredIssuers = {
  confirmed: { place: IssuerPlace; at: Date } | undefined;
  /** What a server named last and was not allowed. */
  refused: { place: IssuerPlace; at: Date } | undefined;
};

/** Where people sign in at each server: what administrators have confirmed, and what the server named. */
export type IssuerStore = {
  find(serverId: string): Promise<StoredIssuers>;
  /** In the place of what was confirmed before, with its audit row. */
  confirm(serverId: string, place: IssuerPlace, by: { actorId: string }): Promise<void>;
  /** Answers whether it is news: then it has an audit row. */
  noteRefused(serverId: string, place: IssuerPlace): Promise<boolean>;
  /** People may be sent there. What was refused before waits for nobody any more. */
  noteAllowed(serverId: string, place: IssuerPlace): Promise<void>;
  /** By server the authorization endpoint to which people are sent: the last that the server named, if that is allowed. */
  lastEndpoints(serverIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
};

type Row = {
  place: IssuerPlace | null;
  confirmed_at: Date | null;
  refused_place: IssuerPlace | null;
  refused_at: Date | null;
};

export function createIssuerStore({ db, clock }: { db: Database; clock: Clock }): IssuerStore {
  const kysely: Kysely<Record<never, never>> = db.kysely;
  const now = () => new Date(clock.now());
  return {
    async find(serverId) {
      const { rows } = await db.query<Row>(
        'select place, confirmed_at, refused_place, refused_at from upstream_issuers where server_id = $1',
        [serverId],
      );
      const [row] = rows;
      return {
        confirmed: row && whole(row.place, row.confirmed_at),
        refused: row && whole(row.refused_place, row.refused_at),
      };
    },

    confirm: (serverId, place, { actorId }) =>
      kysely.transaction().execute(async (tx) => {
        const at = now();
        await sql`insert into upstream_issuers (server_id, place, confirmed_at, last_endpoint)
          values (${serverId}, ${JSON.stringify(place)}::jsonb, ${at}, ${place.authorizationEndpoint})
          on conflict (server_id) do update set place = excluded.place, confirmed_at = excluded.confirmed_at,
            last_endpoint = excluded.last_endpoint, refused_place = null, refused_at = null`.execute(tx);
        const details = { ...place };
        await writeAudit(tx, { actorId, action: 'sign-in.issuer-confirmed', subject: serverId, details }, at);
      }),

    noteRefused: (serverId, place) =>
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

    async noteAllowed(serverId, { authorizationEndpoint }) {
      await db.query(
        `insert into upstream_issuers as known (server_id, last_endpoint) values ($1, $2)
         on conflict (server_id) do update
           set last_endpoint = excluded.last_endpoint, refused_place = null, refused_at = null
           where known.last_endpoint is distinct from excluded.last_endpoint or known.refused_at is not null`,
        [serverId, authorizationEndpoint],
      );
    },

    async lastEndpoints(serverIds) {
      const { rows } = await db.query<{ server_id: string; last_endpoint: string }>(
        `select server_id, last_endpoint from upstream_issuers
         where server_id = any($1::text[]) and last_endpoint is not null and refused_at is null`,
        [serverIds],
      );
      return new Map(rows.map((row) => [row.server_id, row.last_endpoint]));
    },
  };
}

function whole(place: IssuerPlace | null, at: Date | null): { place: IssuerPlace; at: Date } | undefined {
  return place === null || at === null ? undefined : { place, at };
}
