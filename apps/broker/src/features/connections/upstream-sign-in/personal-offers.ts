import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { readAll } from '../discover-server.ts';
import { createPersonCache } from '../person-cache.ts';
import type { Timers } from '../timers.ts';
import type { UpstreamPool } from '../upstream-pool.ts';
import type { ConnectionStore, StoredConnection } from './connection-store.ts';
import { needsOwnSecrets } from './credentials.ts';
import { meet, namesOf } from './offered-names.ts';

/** A server that says without end that its lists changed is asked this often and no more. */
const noticeIntervalMs = 10_000;
/** A notice may have come while no connection was open: a new connection asks what was not asked for so long. */
const connectionIntervalMs = 60 * 60_000;
const maxRemembered = 10_000;

/** Of what the catalogue says of a server, what one person's own connection offers. */
export type OfferedPart = (server: CatalogueServer) => CatalogueServer;

/** What servers that need each person's own sign-in offer to each person (gateway.md, Lists never wait for upstreams). */
export type PersonalOffers = {
  /**
   * From memory for a few seconds, and then at once: asked at every list and call. Before a server was asked, all of it
   * is theirs.
   */
  partFor(userId: string): OfferedPart | Promise<OfferedPart>;
  /** What the person has at a server is new: the server is asked in the background. */
  signedIn(userId: string, serverId: string): void;
  /** The server says on this person's connection that its lists changed. */
  listChanged(userId: string, serverId: string): void;
  /** A connection of this person's was opened. */
  connected(userId: string, serverId: string): void;
  /** Somebody's lists may differ; undefined: it may be anybody's. */
  forget(userId: string | undefined): void;
  /** Asks nobody any more; resolves when the questions under way have ended. */
  stop(): Promise<void>;
};

export function createPersonalOffers(options: {
  store: Pick<ConnectionStore, 'find' | 'list' | 'storeOffered'>;
  catalogue: Catalogue;
  pool: Pick<UpstreamPool, 'acquire'>;
  /** Whether a connection is good for the place where its server is now. */
  isOf(server: CatalogueServer, connection: StoredConnection): boolean;
  /** Tells every replica that somebody's lists may differ from now on. */
  announce(userId: string): Promise<void>;
  timers: Timers;
  clock: Clock;
  log: Log;
}): PersonalOffers {
  const { store, catalogue, pool, isOf, timers, clock, log } = options;
  const parts = createPersonCache(readPart, clock);
  const askedAtMs = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  const underWay = new Set<Promise<void>>();
  let stopped = false;

  async function readPart(userId: string): Promise<OfferedPart> {
    const stored = new Map((await store.list(userId)).map((connection) => [connection.serverId, connection]));
    const met = new WeakMap<CatalogueServer, CatalogueServer>();
    return (server) => {
      if (!needsOwnSecrets(server)) return server;
      const connection = stored.get(server.id);
      if (!connection?.offered || !isOf(server, connection)) return server;
      const known = met.get(server) ?? meet(server, connection.offered);
      met.set(server, known);
      return known;
    };
  }

  function serverOf(serverId: string): CatalogueServer | undefined {
    const server = catalogue.snapshot().byId.get(serverId);
    return server && needsOwnSecrets(server) && server.manifest.connection.type !== 'stdio' ? server : undefined;
  }

  function askNow(userId: string, serverId: string): void {
    const server = serverOf(serverId);
    if (stopped || !server) return;
    if (askedAtMs.size >= maxRemembered) askedAtMs.clear();
    askedAtMs.set(keyOf(userId, serverId), clock.now());
    const work = ask(userId, server)
      .catch((error: unknown) => {
        // the next connection asks again
        askedAtMs.delete(keyOf(userId, serverId));
        if (error instanceof UpstreamError) log.debug({ err: error, server: serverId }, 'an offer could not be read');
        else if (!stopped) log.error({ err: error }, 'an offer could not be read');
      })
      .finally(() => underWay.delete(work));
    underWay.add(work);
  }

  async function ask(userId: string, server: CatalogueServer): Promise<void> {
    const connection = await store.find(userId, server.id);
    if (connection?.state !== 'signed-in' || !isOf(server, connection)) return;
    const lease = await pool.acquire(server, userId);
    try {
      const offered = namesOf(await readAll(lease.upstream));
      if (await store.storeOffered(connection, offered)) await options.announce(userId);
    } finally {
      lease.release();
    }
  }

  const sinceAskedMs = (key: string) => clock.now() - (askedAtMs.get(key) ?? Number.NEGATIVE_INFINITY);

  return {
    partFor: parts.get,
    forget: parts.forget,
    signedIn: askNow,
    listChanged(userId, serverId) {
      const key = keyOf(userId, serverId);
      if (stopped || waiting.has(key)) return;
      const cancel = timers.after(Math.max(0, noticeIntervalMs - sinceAskedMs(key)), () => {
        waiting.delete(key);
        askNow(userId, serverId);
      });
      waiting.set(key, cancel);
    },
    connected(userId, serverId) {
      if (sinceAskedMs(keyOf(userId, serverId)) >= connectionIntervalMs) askNow(userId, serverId);
    },
    async stop() {
      stopped = true;
      for (const cancel of waiting.values()) cancel();
      await Promise.all(underWay);
    },
  };
}

function keyOf(userId: string, serverId: string): string {
  return `${userId} ${serverId}`;
}
