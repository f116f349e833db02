import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { createBackground } from '#platform/work/background.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { Timers } from '../pool/timers.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import { useLease } from '../pool/use-lease.ts';
import type { AccountStore, StoredAccount } from '../sign-in/account-store.ts';
import { needsOwnSecrets } from '../sign-in/credentials.ts';
import { readAll } from '../watch/discover-server.ts';
import { createAskQueue } from './ask-queue.ts';
import { OfferTooLarge, type OfferHead, type OfferStore } from './offer-store.ts';
import { isOfAnother, LoadedOffer, PersonOffers } from './person-offers.ts';
import { createRememberedOffers } from './remembered-offers.ts';

/** A server that keeps announcing changed lists is asked at most this often. */
const noticeIntervalMs = 10_000;
/** A notice may have been missed while no connection was open: after this time a person's next request asks again. */
const staleMs = 60 * 60_000;
/** A server that could not be asked about a person is asked again after these times, then with the person's requests. */
const retryMs = [2_000, 10_000, 60_000];
const requestRetryMs = 30_000;
const maxRemembered = 10_000;
/** Of all people's lists together. */
const maxMemoryBytes = 64 * 1024 * 1024;

/**
 * What servers that need an account offer to each person's account (gateway.md, Lists never wait for upstreams). It is
 * discovered with the person's own connection, in the background, stored, and seen by that person alone.
 */
export type PersonalOffers = {
  /** Asked at every list and call; from memory, without a promise, for a few seconds. */
  of(userId: string): PersonOffers | Promise<PersonOffers>;
  /** The person's account at a server has changed: after a sign-in the server is asked in the background. */
  signedIn(userId: string, serverId: string): void;
  /** The server announced changed lists on this person's connection. */
  listChanged(userId: string, serverId: string): void;
  /** A connection of this person was opened. */
  connected(userId: string, serverId: string): void;
  /** The person asks for it: their servers are asked again, unless they were in the last 10 s. */
  refresh(userId: string): Promise<void>;
  /** This person's lists may have changed; undefined: every person's. */
  forget(userId: string | undefined): void;
  /** Asks no server any more. Resolves when the questions under way have ended. */
  stop(): Promise<void>;
};

export function createPersonalOffers(options: {
  accounts: Pick<AccountStore, 'find'>;
  store: OfferStore;
  catalogue: Pick<Catalogue, 'snapshot' | 'driftOf'>;
  pool: Pick<UpstreamPool, 'acquire'>;
  /** Whether an account is for the current address of its server. */
  isOf(server: CatalogueServer, account: Pick<StoredAccount, 'kind' | 'boundTo'>): boolean;
  /** Tells every replica that this person's lists may have changed. */
  announce(userId: string): Promise<void>;
  timers: Timers;
  clock: Clock;
  log: Log;
}): PersonalOffers {
  const { store, catalogue, isOf, timers, clock, log } = options;
  const time = elapsedTime(clock);
  const background = createBackground(log);
  const remembered = createRememberedOffers(read, { clock, maxBytes: maxMemoryBytes });
  const queue = createAskQueue({ atOnce: 8, maxWaiting: maxRemembered });
  const askedAtMs = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  /** Whose list is too large, as the operator was told. */
  const toldTooLarge = new Set<string>();
  let stopped = false;

  async function read(userId: string, before: PersonOffers | undefined): Promise<PersonOffers> {
    const heads = await store.heads(userId);
    const known = new Map(before?.loaded.map((offer) => [offer.serverId, offer]));
    const loaded = await Promise.all(
      heads.map(async ({ serverId, stored }) => {
        if (!stored) return [];
        const same = known.get(serverId);
        if (same?.revision === stored.revision) return [same];
        const list = await store.list(userId, serverId);
        return list ? [new LoadedOffer(serverId, stored.revision, list.items)] : [];
      }),
    );
    for (const head of heads) askIfDue(userId, head);
    const byServer = new Map(heads.map((head) => [head.serverId, head]));
    return new PersonOffers(loaded.flat(), catalogue.snapshot, (server) => {
      const head = byServer.get(server.id);
      return head !== undefined && needsOwnSecrets(server) && isOf(server, head);
    });
  }

  /** The person makes requests: what was never read, is of an older version or is old, is asked for. */
  function askIfDue(userId: string, { serverId, state, stored }: OfferHead): void {
    const server = serverOf(serverId);
    if (!server || state !== 'signed-in' || server.status !== 'connected') return;
    const isDue = stored?.version !== server.manifest.version || clock.now() - stored.discoveredAtMs >= staleMs;
    if (isDue && sinceAskedMs(keyOf(userId, serverId)) >= requestRetryMs) askNow(userId, serverId);
  }

  function serverOf(serverId: string): CatalogueServer | undefined {
    const server = catalogue.snapshot().byId.get(serverId);
    return server && needsOwnSecrets(server) && server.manifest.connection.type !== 'stdio' ? server : undefined;
  }

  /** @param retryAfterMs when a failure is tried again by itself; the person's requests do it in any case */
  function askNow(userId: string, serverId: string, retryAfterMs: readonly number[] = []): void {
    const server = serverOf(serverId);
    if (stopped || !server) return;
    const key = keyOf(userId, serverId);
    if (askedAtMs.size >= maxRemembered) askedAtMs.clear();
    askedAtMs.set(key, time.now());
    queue.add(key, () => {
      const work = ask(userId, server).catch((error: unknown) => {
        if (!(error instanceof UpstreamError) && !(error instanceof OfferTooLarge)) throw error;
        if (error instanceof OfferTooLarge) return tellTooLarge(userId, serverId, error);
        log.debug({ err: error, server: serverId }, 'an offer could not be read');
        const [delayMs, ...more] = retryAfterMs;
        if (delayMs !== undefined && error.kind !== 'sign_in_required')
          askLater(key, delayMs, () => askNow(userId, serverId, more));
      });
      background.add(work, 'an offer could not be stored');
      return work.catch(() => {});
    });
  }

  /** The person sees their list of before: only the operator can find out why, and is told once. */
  function tellTooLarge(userId: string, serverId: string, { message }: OfferTooLarge): void {
    const key = keyOf(userId, serverId);
    if (toldTooLarge.has(key)) return;
    if (toldTooLarge.size >= maxRemembered) toldTooLarge.clear();
    toldTooLarge.add(key);
    log.warn({ server: serverId, userId }, `the list of a person is not kept: ${message}`);
  }

  function askLater(key: string, delayMs: number, act: () => void): void {
    if (stopped || waiting.has(key) || waiting.size >= maxRemembered) return;
    const cancel = timers.after(delayMs, () => {
      waiting.delete(key);
      act();
    });
    waiting.set(key, cancel);
  }

  async function ask(userId: string, server: CatalogueServer): Promise<void> {
    if (stopped) return;
    const account = await options.accounts.find(userId, server.id);
    if (account?.state !== 'signed-in' || !isOf(server, account)) return;
    await useLease(options.pool.acquire(server, userId), async (upstream) => {
      const discovered = await readAll(upstream);
      const drift = await catalogue.driftOf(server.id);
      // While it was asked another version may have been deployed, or none: the next request asks again.
      if (drift?.version !== server.manifest.version) return;
      const snapshot = catalogue.snapshot();
      const isTaken = (uri: string) => isOfAnother(server.id, uri, snapshot);
      const hasChanged = await store.store(account, drift, discovered, isTaken);
      toldTooLarge.delete(keyOf(userId, server.id));
      if (hasChanged) await options.announce(userId);
    });
  }

  const sinceAskedMs = (key: string) => time.now() - (askedAtMs.get(key) ?? Number.NEGATIVE_INFINITY);

  return {
    of: remembered.get,
    forget: remembered.forget,
    signedIn: (userId, serverId) => askNow(userId, serverId, retryMs),
    listChanged(userId, serverId) {
      const key = keyOf(userId, serverId);
      askLater(key, Math.max(0, noticeIntervalMs - sinceAskedMs(key)), () => askNow(userId, serverId));
    },
    connected(userId, serverId) {
      if (sinceAskedMs(keyOf(userId, serverId)) >= staleMs) askNow(userId, serverId);
    },
    async refresh(userId) {
      for (const { serverId, state } of await store.heads(userId)) {
        if (state === 'signed-in' && sinceAskedMs(keyOf(userId, serverId)) >= noticeIntervalMs) {
          askNow(userId, serverId);
        }
      }
    },
    async stop() {
      stopped = true;
      queue.stop();
      for (const cancel of waiting.values()) cancel();
      await background.flush();
    },
  };
}

function keyOf(userId: string, serverId: string): string {
  return `${userId} ${serverId}`;
}
