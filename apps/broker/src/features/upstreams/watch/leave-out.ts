import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { WatchedServer } from './watched-server.ts';

const noConnectionLeft = 'It is waiting to be checked: all connections of this installation are in use';

/**
 * Keeps the status of a server that could not be asked because all connections are in use, and adds that it is waiting.
 */
export async function leaveOut(
  { id, status }: CatalogueServer,
  watched: Pick<WatchedServer, 'isLeftOut'>,
  catalogue: Pick<Catalogue, 'setHealth'>,
): Promise<void> {
  watched.isLeftOut = true;
  await catalogue.setHealth(id, { status, detail: noConnectionLeft, era: undefined });
}

/** Shortest interval between warnings in the log: servers may start and stop waiting at any time. */
const minWarningIntervalMs = 10 * 60_000;

/** Counts the servers that are waiting for a connection, for the log and /readyz. */
export function createLeftOut(
  watched: ReadonlyMap<string, Pick<WatchedServer, 'isLeftOut'>>,
  { maxConnections, clock, log }: { maxConnections: number; clock: Clock; log: Log },
): { text(): string | undefined; warn(): void } {
  let warnedAtMs = Number.NEGATIVE_INFINITY;

  function text(): string | undefined {
    let count = 0;
    for (const { isLeftOut } of watched.values()) if (isLeftOut) count++;
    if (count === 0) return undefined;
    const who = count === 1 ? `1 of ${watched.size} servers waits` : `${count} of ${watched.size} servers wait`;
    return `${who} to be checked: all ${maxConnections} connections to servers are in use. Raise UPSTREAM_CONNECTIONS.`;
  }

  return {
    text,
    warn() {
      const warning = text();
      if (warning === undefined || clock.now() - warnedAtMs < minWarningIntervalMs) return;
      warnedAtMs = clock.now();
      log.warn(warning);
    },
  };
}
