import type { DocumentFault } from '@souk/contract/diagnostics.ts';
import { addressNotPublic, type IdentityEvents } from '#features/identity/index.ts';
import type { Background } from '#platform/work/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { createRateLimit } from '#platform/rate-limit.ts';

const keepMs = 30 * 24 * 60 * 60_000;
const shownFaults = 20;
/** Faults of unknown clients that are kept, the newest: a request without a sign-in can name any document. */
const maxStrangers = 200;
const strangersPerMinute = 60;

type FaultRow = {
  client_id: string;
  known_name: string | null;
  fault: string;
  has_copy: boolean;
  times: number;
  first_at: Date;
  last_at: Date;
};

/**
 * Clients' documents that could not be fetched. A fetch comes before the sign-in, so a fault belongs to no user. Every user
 * sees the faults of well-known clients. Only administrators see others: their URLs may reveal whose they are.
 */
export function createDocumentFaults(options: { query: Query; clock: Clock; background: Background }) {
  const { query, clock, background } = options;
  const strangers = createRateLimit(strangersPerMinute, clock);

  async function write(event: Parameters<IdentityEvents['documentFailed']>[0], at: Date): Promise<void> {
    const { clientId, knownName, fault, hasCopy } = event;
    await query(
      `insert into client_document_faults as f (client_id, known_name, fault, has_copy, times, first_at, last_at)
       values ($1, $2, $3, $4, 1, $5, $5)
       on conflict (client_id) do update set known_name = excluded.known_name, fault = excluded.fault,
         has_copy = excluded.has_copy, times = least(f.times, 999999) + 1, last_at = greatest(f.last_at, excluded.last_at)`,
      [clientId, knownName ?? null, fault, hasCopy, at],
    );
    if (knownName !== undefined) return;
    await query(
      `delete from client_document_faults where client_id in
         (select client_id from client_document_faults where known_name is null
          order by last_at desc, client_id offset ${maxStrangers})`,
    );
  }

  return {
    events: {
      documentFailed(event) {
        if (event.knownName === undefined && !strangers.take('all')) return;
        background.add(write(event, new Date(clock.now())), "the fault of a client's document was not recorded");
      },
      documentFetched({ clientId }) {
        const removed = query(`delete from client_document_faults where client_id = $1`, [clientId]);
        background.add(removed, "the fault of a client's document was not removed");
      },
    } satisfies Partial<IdentityEvents>,

    /** The faults of the last 30 days, newest first. */
    async list(isAdmin: boolean): Promise<DocumentFault[]> {
      const { rows } = await query<FaultRow>(
        `select client_id, known_name, fault, has_copy, times, first_at, last_at from client_document_faults
         where (known_name is not null or $1) and last_at > $2
         order by last_at desc, client_id limit ${shownFaults}`,
        [isAdmin, new Date(clock.now() - keepMs)],
      );
      return rows.map(present);
    },

    async reap(): Promise<void> {
      await query(`delete from client_document_faults where last_at < $1`, [new Date(clock.now() - keepMs)]);
    },
  };
}

function present(row: FaultRow): DocumentFault {
  const host = URL.parse(row.client_id)?.host ?? row.client_id;
  return {
    client: row.known_name ?? host,
    address: row.client_id,
    fault: row.fault,
    times: row.times,
    firstAt: row.first_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    advice: adviceFor(row, host),
    hasCopy: row.has_copy,
  };
}

function adviceFor({ has_copy: hasCopy, fault }: FaultRow, host: string): string {
  if (hasCopy) {
    return `Sign-in works with the copy that this server has. For the operator: let it reach ${host} (firewall, HTTPS_PROXY), so that it learns of changes.`;
  }
  return fault === addressNotPublic
    ? "Adding the client again doesn't help. This server only reads descriptions at public addresses: the client's makers must publish it at one, or have the client register."
    : `Adding the client again doesn't help. For the operator: let this server reach ${host} (firewall, HTTPS_PROXY). If it does, the client's makers publish a wrong description.`;
}
