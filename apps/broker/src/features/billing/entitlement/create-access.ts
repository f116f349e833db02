import { randomUUID } from 'node:crypto';
import type { OwnedStatus } from '@souk/contract/billing/billing.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Database } from '#platform/db/database.ts';
import { createPersonCache } from '#platform/person-cache.ts';
import type { EntitlementPolicy } from './entitlement.ts';
import { readOwned } from './access-store.ts';
import { accessTo, highestPlan, type Access } from './access-to.ts';
import { statusOf, type Owned } from './owned.ts';
import { findEnded } from './find-ended.ts';
import { startTrial, type AccessParts } from './start-trial.ts';

const channel = 'billing_access';
/** Interval of the checks for access that has ended. Clients learn of it at the next check. */
const checkEveryMs = 15_000;

/** Reports to every replica but the sender that what a user owns has changed. */
export const announceAccess = (db: Pick<Database, 'notify'>, sender: string, userId: string): Promise<void> =>
  db.notify(channel, `${sender} ${userId}`);

export type AccessBook = {
  /** Serves lists and calls from memory, without a promise, while the user is cached. */
  readonly entitlement: EntitlementPolicy;
  read(userId: string): Promise<Owned>;
  /** The plan that a user's profile shows; free where none is running. */
  planOf(userId: string): Promise<{ planId: string; planStatus: OwnedStatus }>;
  /** A user's access to servers, from memory like `entitlement`. */
  accessOf(userId: string): ((server: CatalogueServer) => Access) | Promise<(server: CatalogueServer) => Access>;
  /** @throws SoukError invalid_request, has_access, trial_used (start-trial.ts) */
  startTrial(userId: string, server: CatalogueServer): Promise<void>;
  /** Servers the user has already tried, with this account or an earlier one of their address. */
  triedServers(userId: string): Promise<ReadonlySet<string>>;
  /** Reports to every replica that what a user owns has changed. */
  announce(userId: string): Promise<void>;
  /** Call it when the tier of a plan has changed: everyone's access is refetched on this replica. */
  forgetAll(): void;
  /** Calls the listener on every replica when what a user owns has changed; undefined: any user. @returns stops it */
  onChange(listener: (userId: string | undefined) => void): () => void;
  /** Calls the listeners for each user with access that has ended since the last check; runs every 15 s by itself. */
  notifyOfEnds(): Promise<void>;
  stop(): Promise<void>;
};

export async function createAccess(options: AccessParts): Promise<AccessBook> {
  const { db, livemode, emailOf, trialAddresses, clock, log } = options;
  const read = (userId: string) => readOwned(db.query, livemode, userId);
  const owned = createPersonCache<Owned>(read, clock, db);
  const listeners = new Set<(userId: string | undefined) => void>();
  const ourselves = randomUUID();

  function changed(userId: string | undefined): void {
    owned.forget(userId);
    for (const listener of listeners) listener(userId);
  }

  const stopListening = await db.listen(channel, (payload) => {
    const [origin, userId] = payload.split(' ');
    if (origin !== ourselves) changed(userId);
  });

  /** Updates this replica first, so that the user's next request sees the change, however slow the notice is. */
  async function announce(userId: string): Promise<void> {
    changed(userId);
    await announceAccess(db, ourselves, userId).catch((error: unknown) => {
      log.warn({ err: error }, 'a change of what a user owns was not announced to the other replicas');
    });
  }

  let checkedAtMs = clock.now();

  async function notifyOfEnds(): Promise<void> {
    const span = { fromMs: checkedAtMs, toMs: clock.now() };
    const userIds = await findEnded(db.query, livemode, span);
    checkedAtMs = span.toMs;
    if (userIds) for (const userId of userIds) changed(userId);
    else changed(undefined);
  }
  // each replica notifies its own clients
  const checking = setInterval(() => {
    void notifyOfEnds().catch((error: unknown) => {
      log.warn({ err: error }, 'access that ended could not be read; clients will refetch later by themselves');
    });
  }, checkEveryMs).unref();

  /** Reads the clock at each use, so that cached access ends on time too. */
  const judge = (mine: Owned) => (server: CatalogueServer) => accessTo(server, mine, clock.now());
  const accessOf: AccessBook['accessOf'] = (userId) => {
    const mine = owned.get(userId);
    return mine instanceof Promise ? mine.then(judge) : judge(mine);
  };
  const isEntitled = (access: (server: CatalogueServer) => Access) => (server: CatalogueServer) =>
    access(server).type !== 'none';

  return {
    entitlement(userId) {
      const access = accessOf(userId);
      return access instanceof Promise ? access.then(isEntitled) : isEntitled(access);
    },
    read,
    accessOf,
    async planOf(userId) {
      const plan = highestPlan(await read(userId), clock.now());
      return { planId: plan?.planId ?? 'free', planStatus: plan ? statusOf(plan, clock.now()) : 'active' };
    },
    async startTrial(userId, server) {
      await startTrial(options, userId, server);
      await announce(userId);
    },
    async triedServers(userId) {
      const address = await emailOf(userId);
      return address === undefined ? new Set() : trialAddresses.read(db.query, { userId, address });
    },
    announce,
    forgetAll: () => changed(undefined),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notifyOfEnds,
    async stop() {
      clearInterval(checking);
      await stopListening();
    },
  };
}
