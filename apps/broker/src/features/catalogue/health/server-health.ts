import { cleanLabel } from '#platform/text/clean-label.ts';
import type { Clock } from '#platform/clock.ts';
import { createGathered } from '#platform/work/gathered.ts';
import type { Log } from '#platform/log.ts';
import type { HealthChange } from '../discovery/capability-store.ts';
import type { CatalogueServer, Era } from '../snapshot/snapshot.ts';
import type { CatalogueDb } from '../tables.ts';
import { createHealthWriter } from './write-health.ts';

/** Minimum time between two writes of unchanged health. */
const writeIntervalMs = 60_000;
const maxDetailCharacters = 300;
/** Pause between two batches of answers: each change of the catalogue takes about 1 ms with thousands of servers. */
const answersPauseMs = 200;

/** Result of a check or a discovery. */
export type FoundHealth = Omit<HealthChange, 'checkedAtMs'>;

type NewHealth = {
  health: Pick<CatalogueServer, 'status' | 'statusDetail' | 'statusSinceMs' | 'era'>;
  isWritten: boolean;
};

/**
 * Tracks the health of the deployed servers. A change is visible on this broker immediately, then stored and announced
 * to other brokers.
 */
export function createServerHealth(parts: {
  db: CatalogueDb;
  find(serverId: string): CatalogueServer | undefined;
  publish(serverIds: ReadonlySet<string>, servers: readonly CatalogueServer[]): void;
  changed(serverId: string): Promise<void>;
  clock: Clock;
  log: Log;
}) {
  const { find, publish, changed, clock, log } = parts;
  const writtenAtMs = new Map<string, number>();
  /** Newest health by server, until a read that began after it was written: earlier reads do not include it. */
  const newest = new Map<string, NewHealth>();
  const writer = createHealthWriter(parts.db, (error) =>
    log.warn({ err: error }, 'the health of servers could not be stored'),
  );

  async function set(serverId: string, { status, detail: reason, era: found }: FoundHealth): Promise<void> {
    const server = find(serverId);
    if (!server) return;
    // the reason may quote the server
    const detail = reason === undefined ? undefined : cleanLabel(reason, maxDetailCharacters);
    const nowMs = clock.now();
    const change = { status, detail, era: found, checkedAtMs: nowMs };
    if (server.status === status && server.statusDetail === detail) {
      if (nowMs - (writtenAtMs.get(serverId) ?? 0) < writeIntervalMs) return;
      writtenAtMs.set(serverId, nowMs);
      return writer.checked(serverId, change);
    }
    writtenAtMs.set(serverId, nowMs);
    const era = found ? { verdict: found, atMs: nowMs } : server.era;
    const hasTurned = (server.status === 'connected') !== (status === 'connected');
    const statusSinceMs = hasTurned ? nowMs : (server.statusSinceMs ?? nowMs);
    const known: NewHealth = { health: { status, statusDetail: detail, statusSinceMs, era }, isWritten: false };
    newest.set(serverId, known);
    publish(new Set([serverId]), [{ ...server, ...known.health }]);
    await writer.write(serverId, change).finally(() => (known.isWritten = true));
    await changed(serverId);
  }

  /**
   * Publishes answers in batches: at a start, thousands of servers answer in succession. Other brokers discover servers
   * themselves and need no notice.
   */
  const answered = createGathered<{ serverId: string; era: Era | undefined }>(
    async (answers) => {
      const nowMs = clock.now();
      const eras = new Map(answers.map(({ serverId, era }) => [serverId, era]));
      const servers = [...eras].flatMap(([serverId, era]) => {
        const server = find(serverId);
        return server ? [{ ...server, ...(era && { era: { verdict: era, atMs: nowMs } }), discoveredAtMs: nowMs }] : [];
      });
      publish(new Set(servers.map(({ id }) => id)), servers);
      const rows = servers.map(({ id, status, statusDetail: detail }) =>
        writer.write(id, { status, detail, era: eras.get(id), checkedAtMs: nowMs, discoveredAtMs: nowMs }),
      );
      await Promise.all(rows);
    },
    { restMs: answersPauseMs },
  );

  return {
    set,

    async answeredTheSame(serverId: string, era: Era | undefined): Promise<void> {
      await set(serverId, { status: 'connected', detail: undefined, era });
      await answered.add({ serverId, era });
    },

    stored: (serverId: string) => void writtenAtMs.set(serverId, clock.now()),

    /** To be called before servers are read. Returns a function that adds newer health to what was read. */
    beginRead(serverIds: ReadonlySet<string>): (servers: readonly CatalogueServer[]) => CatalogueServer[] {
      const written = [...newest].filter(([serverId, { isWritten }]) => isWritten && serverIds.has(serverId));
      return (servers) => {
        for (const [serverId, health] of written) if (newest.get(serverId) === health) newest.delete(serverId);
        return servers.map((server) => ({ ...server, ...newest.get(server.id)?.health }));
      };
    },

    async stop(): Promise<void> {
      await answered.flush();
      await writer.stop();
    },
  };
}
