import { sql, type Kysely } from 'kysely';
import { writeAudit, writeCausedAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';

/** More than any administrator reads; a server that names another issuer with each sign-in must not fill the audit log. */
const maxAuditRowsADay = 20;

/** Where a client shows itself: its issuer, and where that redeems codes. */
export type IssuerPlace = { issuer: string; tokenEndpoint: string };

export type StoredIssuers = {
  confirmed: (IssuerPlace & { at: Date }) | undefined;
  /** What a server named last and was not confirmed. */
  refused: (IssuerPlace & { at: Date }) | undefined;
};

/** What administrators have confirmed about the operator's client at each server. */
export type IssuerStore = {
  find(serverId: string): Promise<StoredIssuers>;
  /** In the place of what was confirmed before, with its audit row. */
  confirm(serverId: string, place: IssuerPlace, by: { actorId: string }): Promise<void>;
  /** Answers whether it is news: then it has an audit row. */
  noteRefused(serverId: string, place: IssuerPlace): Promise<boolean>;
};

type Row = {
  issuer: string | null;
  token_endpoint: string | null;
  confirmed_at: Date | null;
  refused_issuer: string | null;
  refused_token_endpoint: string | null;
  refused_at: Date | null;
};

export function createIssuerStore({ db, clock }: { db: Database; clock: Clock }): IssuerStore {
  const kysely: Kysely<Record<never, never>> = db.kysely;
  const now = () => new Date(clock.now());
  return {
    async find(serverId) {
      const { rows } = await db.query<Row>(
        `select issuer, token_endpoint, confirmed_at, refused_issuer, refused_token_endpoint, refused_at
         from upstream_issuers where server_id = $1`,
        [serverId],
      );
      const [row] = rows;
      return {
        confirmed: row && place(row.issuer, row.token_endpoint, row.confirmed_at),
        refused: row && place(row.refused_issuer, row.refused_token_endpoint, row.refused_at),
      };
    },

    confirm: (serverId, { issuer, tokenEndpoint }, { actorId }) =>
      kysely.transaction().execute(async (tx) => {
        const at = now();
        await sql`insert into upstream_issuers (server_id, issuer, token_endpoint, confirmed_at)
          values (${serverId}, ${issuer}, ${tokenEndpoint}, ${at})
          on conflict (server_id) do update set issuer = excluded.issuer, token_endpoint = excluded.token_endpoint,
            confirmed_at = excluded.confirmed_at, refused_issuer = null, refused_token_endpoint = null,
            refused_at = null`.execute(tx);
        const details = { issuer, tokenEndpoint };
        await writeAudit(tx, { actorId, action: 'sign-in.issuer-confirmed', subject: serverId, details }, at);
      }),

    noteRefused: (serverId, { issuer, tokenEndpoint }) =>
      kysely.transaction().execute(async (tx) => {
        const at = now();
        const { numAffectedRows } =
          await sql`insert into upstream_issuers as known (server_id, refused_issuer, refused_token_endpoint, refused_at)
          values (${serverId}, ${issuer}, ${tokenEndpoint}, ${at})
          on conflict (server_id) do update set refused_issuer = excluded.refused_issuer,
            refused_token_endpoint = excluded.refused_token_endpoint, refused_at = excluded.refused_at
          where (known.refused_issuer, known.refused_token_endpoint)
            is distinct from (excluded.refused_issuer, excluded.refused_token_endpoint)`.execute(tx);
        if (numAffectedRows !== 1n) return false;
        const source = { source: `sign-in of ${serverId}`, subject: serverId, maxRowsADay: maxAuditRowsADay };
        const details = { issuer, tokenEndpoint };
        const entry: AuditEntry = { actorId: undefined, action: 'sign-in.issuer-refused', subject: serverId, details };
        await writeCausedAudit(tx, source, [entry], at);
        return true;
      }),
  };
}

function place(issuer: string | null, tokenEndpoint: string | null, at: Date | null) {
  return issuer === null || tokenEndpoint === null || at === null ? undefined : { issuer, tokenEndpoint, at };
}
