import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { createBackground } from '#platform/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { readAll } from '../watch/discover-server.ts';
import { createPersonCache } from '../person-cache.ts';
import type { Timers } from '../pool/timers.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import type { AccountStore, StoredAccount } from './account-store.ts';
import { needsOwnSecrets } from './credentials.ts';
import { meet, namesOf } from './offered-names.ts';

/** A server that keeps announcing changed lists is asked at most this often. */
const noticeIntervalMs = 10_000;
/** A notice may have been missed while no connection was open: a new connection asks again after this time. */
const connectionIntervalMs = 60 * 60_000;
const maxRemembered = 10_000;

/** The part of a server's catalogue entry that one person's account is offered. */
export type OfferedPart = (server: CatalogueServer) => CatalogueServer;

/** What servers that need an account offer to each person's (gateway.md, Lists never wait for upstreams). */
export type PersonalOffers = {
  /**
   * Asked at every list and call; from memory, without a promise, for a few seconds. Until a server was asked, the person
   * is offered everything.
   */
  partFor(userId: string): OfferedPart | Promise<OfferedPart>;
  /** The person's account at a server is new: the server is asked in the background. */
  signedIn(userId: string, serverId: string): void;
  /** The server announced changed lists on this person's connection. */
  listChanged(userId: string, serverId: string): void;
  /** A connection of this person was opened. */
  connected(userId: string, serverId: string): void;
  /** This person's lists may have changed; undefined: every person's. */
  forget(userId: string | undefined): void;
  /** Asks no server any more. Resolves when the questions under way have ended. */
  stop(): Promise<void>;
};

export function createPersonalOffers(options: {
  store: Pick<AccountStore, 'find' | 'list' | 'storeOffered'>;
  catalogue: Catalogue;
  pool: Pick<UpstreamPool, 'acquire'>;
  /** Whether an account is for the current address of its server. */
  isOf(server: CatalogueServer, account: StoredAccount): boolean;
  /** Tells every replica that this person's lists may have changed. */
  announce(userId: string): Promise<void>;
  timers: Timers;
  clock: Clock;
  log: Log;
}): PersonalOffers {
  const { store, catalogue, pool, isOf, timers, clock, log } = options;
  const background = createBackground(log);
  const parts = createPersonCache(readPart, clock);
  const askedAtMs = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  let stopped = false;

  async function readPart(userId: string): Promise<OfferedPart> {
    const stored = new Map((await store.list(userId)).map((account) => [account.serverId, account]));
    const met = new WeakMap<CatalogueServer, CatalogueServer>();
    return (server) => {
      if (!needsOwnSecrets(server)) return server;
      const account = stored.get(server.id);
      if (!account?.offered || !isOf(server, account)) return server;
      const known = met.get(server) ?? meet(server, account.offered);
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
    background.add(
      ask(userId, server).catch((error: unknown) => {
        // The next connection asks again.
        askedAtMs.delete(keyOf(userId, serverId));
        if (!(error instanceof UpstreamError)) throw error;
        log.debug({ err: error, server: serverId }, 'an offer could not be read');
      }),
      'an offer could not be read',
    );
  }

  async function ask(userId: string, server: CatalogueServer): Promise<void> {
    const account = await store.find(userId, server.id);
    if (account?.state !== 'signed-in' || !isOf(server, account)) return;
    const lease = await pool.acquire(server, userId);
    try {
      const offered = namesOf(await readAll(lease.upstream));
      if (await store.storeOffered(account, offered)) await options.announce(userId);
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
      await background.flush();
    },
  };
}

function keyOf(userId: string, serverId: string): string {
  return `${userId} ${serverId}`;
}
