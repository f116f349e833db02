import { createBackground } from '#platform/work/background.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { ConnectionWatch, TlsFacts } from '#platform/http/outgoing/connection-watch.ts';
import type { Log } from '#platform/log.ts';

const maxIssuerCharacters = 100;
/** Certificates remembered. If there are more, all are forgotten, and the database compares them again. */
const maxRemembered = 10_000;

/** Stores the certificates of servers, as seen by the last new connection to each: one row per server. */
export function createServerCertificates(options: { query: Query; clock: Clock; log: Log }) {
  const { query, clock, log } = options;
  const background = createBackground(log);
  /** Certificates that this broker has stored, by server: seeing the same one again writes nothing. */
  const stored = new Map<string, string>();

  async function store(serverId: string, seen: string, validUntil: Date, issuer: string | null): Promise<void> {
    try {
      await query(
        `insert into server_certificates as c (server_id, valid_until, issuer, seen_at)
         select id, $2, $3, $4 from servers where id = $1
         on conflict (server_id) do update
           set valid_until = excluded.valid_until, issuer = excluded.issuer, seen_at = excluded.seen_at
           where (c.valid_until, c.issuer) is distinct from (excluded.valid_until, excluded.issuer)`,
        [serverId, validUntil, issuer, new Date(clock.now())],
      );
    } catch (error) {
      // the next connection retries
      if (stored.get(serverId) === seen) stored.delete(serverId);
      throw error;
    }
  }

  function secured(serverId: string, { issuer, validUntil = '' }: TlsFacts): void {
    const untilMs = Date.parse(validUntil);
    const seen = `${untilMs} ${issuer ?? ''}`;
    if (Number.isNaN(untilMs) || stored.get(serverId) === seen) return;
    if (stored.size >= maxRemembered) stored.clear();
    stored.set(serverId, seen);
    const name = issuer === undefined ? null : cleanLabel(issuer, maxIssuerCharacters);
    background.add(store(serverId, seen, new Date(untilMs), name), 'the certificate of a server could not be stored');
  }

  return {
    /** Stores the certificate of each new connection to a server. Calls on open connections cost nothing. */
    watchOf: (serverId: string): ConnectionWatch => ({ secured: (facts) => secured(serverId, facts) }),
    stop: (): Promise<void> => background.flush(),
  };
}

export type ServerCertificates = ReturnType<typeof createServerCertificates>;
