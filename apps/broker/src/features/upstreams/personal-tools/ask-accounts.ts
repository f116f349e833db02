import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { createBackground, type Background } from '#platform/work/background.ts';
import type { Timers } from '../pool/timers.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import { useConnection } from '../pool/use-connection.ts';
import type { AccountStore, StoredAccount } from '../sign-in/account-store.ts';
import { needsOwnSecrets } from '../sign-in/credentials.ts';
import { readAll } from '../watch/discover-server.ts';
import { createAskQueue } from './ask-queue.ts';
import { ListTooLarge, type PersonalToolStore } from './personal-tool-store.ts';
import { isOfAnother } from './tools-of-user.ts';

/** Shortest interval between discoveries of a server that keeps announcing changed lists. */
export const noticeIntervalMs = 10_000;
const maxRemembered = 10_000;

export type AskParts = {
  accounts: Pick<AccountStore, 'find'>;
  store: PersonalToolStore;
  catalogue: Pick<Catalogue, 'snapshot' | 'driftOf'>;
  pool: Pick<UpstreamPool, 'acquire'>;
  /** Whether an account is for the current address of its server. */
  isOf(server: CatalogueServer, account: Pick<StoredAccount, 'kind' | 'boundTo'>): boolean;
  /** Announces to every replica that this user's lists may have changed. */
  announce(userId: string): Promise<void>;
  timers: Timers;
  clock: Clock;
  log: Log;
};

/** Discovers in the background what servers list for each user's account, over the user's own connection. */
export class AskedAccounts {
  readonly #parts: AskParts;
  readonly #time: Clock;
  readonly #background: Background;
  readonly #queue = createAskQueue({ atOnce: 8, maxWaiting: maxRemembered });
  readonly #askedAtMs = new Map<string, number>();
  /** Functions that cancel delayed discoveries, by account. */
  readonly #waiting = new Map<string, () => void>();
  /** Accounts whose list is too large, as logged for the operator. */
  readonly #loggedTooLarge = new Set<string>();
  #isStopped = false;

  constructor(parts: AskParts) {
    this.#parts = parts;
    this.#time = elapsedTime(parts.clock);
    this.#background = createBackground(parts.log);
  }

  /** Returns the time since the last discovery; infinite if there was none. */
  sinceAskedMs(userId: string, serverId: string): number {
    return this.#time.now() - (this.#askedAtMs.get(keyOf(userId, serverId)) ?? Number.NEGATIVE_INFINITY);
  }

  /** Returns the deployed server, if it is discovered with users' accounts. */
  serverOf(serverId: string): CatalogueServer | undefined {
    const server = this.#parts.catalogue.snapshot().byId.get(serverId);
    return server && needsOwnSecrets(server) && server.manifest.connection.type !== 'stdio' ? server : undefined;
  }

  /**
   * Discovers a server with a user's account.
   * @param retryAfterMs delays of retries after failures. The user's requests retry in any case
   */
  askNow(userId: string, serverId: string, retryAfterMs: readonly number[] = []): void {
    const server = this.serverOf(serverId);
    if (this.#isStopped || !server) return;
    const key = keyOf(userId, serverId);
    if (this.#askedAtMs.size >= maxRemembered) this.#askedAtMs.clear();
    this.#askedAtMs.set(key, this.#time.now());
    this.#queue.add(key, () => {
      const work = this.#ask(userId, server).catch((error: unknown) => {
        if (!(error instanceof UpstreamError) && !(error instanceof ListTooLarge)) throw error;
        if (error instanceof ListTooLarge) return this.#logTooLarge(userId, serverId, error);
        this.#parts.log.debug({ err: error, server: serverId }, 'the tools of an account could not be read');
        const [delayMs, ...more] = retryAfterMs;
        if (delayMs !== undefined && error.kind !== 'sign_in_required') {
          this.#askLater(key, delayMs, () => this.askNow(userId, serverId, more));
        }
      });
      this.#background.add(work, 'the tools of an account could not be stored');
      return work.catch(() => {});
    });
  }

  /** Discovers a server that announced changed lists, as soon as the shortest interval has passed. */
  listChanged(userId: string, serverId: string): void {
    const waitMs = Math.max(0, noticeIntervalMs - this.sinceAskedMs(userId, serverId));
    this.#askLater(keyOf(userId, serverId), waitMs, () => this.askNow(userId, serverId));
  }

  /** Stops discoveries. Resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#queue.stop();
    for (const cancel of this.#waiting.values()) cancel();
    await this.#background.flush();
  }

  /** Warns once that a list is too large: the user sees the previous list, and only the operator can find out why. */
  #logTooLarge(userId: string, serverId: string, { message }: ListTooLarge): void {
    const key = keyOf(userId, serverId);
    if (this.#loggedTooLarge.has(key)) return;
    if (this.#loggedTooLarge.size >= maxRemembered) this.#loggedTooLarge.clear();
    this.#loggedTooLarge.add(key);
    this.#parts.log.warn({ server: serverId, userId }, `the list of a user was not stored: ${message}`);
  }

  #askLater(key: string, delayMs: number, act: () => void): void {
    if (this.#isStopped || this.#waiting.has(key) || this.#waiting.size >= maxRemembered) return;
    const cancel = this.#parts.timers.after(delayMs, () => {
      this.#waiting.delete(key);
      act();
    });
    this.#waiting.set(key, cancel);
  }

  async #ask(userId: string, server: CatalogueServer): Promise<void> {
    const { accounts, store, catalogue, pool, isOf, announce } = this.#parts;
    if (this.#isStopped) return;
    const account = await accounts.find(userId, server.id);
    if (account?.state !== 'signed-in' || !isOf(server, account)) return;
    await useConnection(pool.acquire(server, userId), async (upstream) => {
      const discovered = await readAll(upstream);
      const drift = await catalogue.driftOf(server.id);
      // The server may have been redeployed or undeployed meanwhile: the user's next request discovers it again.
      if (drift?.version !== server.manifest.version) return;
      const snapshot = catalogue.snapshot();
      const isTaken = (uri: string) => isOfAnother(server.id, uri, snapshot);
      const hasChanged = await store.store(account, drift, discovered, isTaken);
      this.#loggedTooLarge.delete(keyOf(userId, server.id));
      if (hasChanged) await announce(userId);
    });
  }
}

function keyOf(userId: string, serverId: string): string {
  return `${userId} ${serverId}`;
}
