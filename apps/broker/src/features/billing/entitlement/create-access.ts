import { randomUUID } from 'node:crypto';
import type { OwnedStatus } from '@souk/contract/billing/billing.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import { createPersonCache } from '#platform/person-cache.ts';
import type { EntitlementPolicy } from './entitlement.ts';
import { createAccessStore } from './access-store.ts';
import { addTrial } from './add-trial.ts';
import { accessTo, highestPlan, type Access } from './access-to.ts';
import { statusOf, type Owned } from './owned.ts';
import { findEnded } from './find-ended.ts';
import type { TrialAddresses } from './trial-addresses.ts';

const channel = 'billing_access';
const dayMs = 24 * 60 * 60_000;
/** How soon clients hear that something has ended. */
const lookEveryMs = 15_000;

/** Tells every replica but the sender that what a person owns was changed. */
export const announceAccess = (db: Pick<Database, 'notify'>, sender: string, userId: string): Promise<void> =>
  db.notify(channel, `${sender} ${userId}`);

/** Who may use which server, and why. */
export type AccessBook = {
  /** For lists and calls: from memory, without a promise, while it is known. */
  readonly entitlement: EntitlementPolicy;
  /** From the database. */
  read(userId: string): Promise<Owned>;
  /** The plan that a person's profile shows; free where none is running. */
  planOf(userId: string): Promise<{ planId: string; planStatus: OwnedStatus }>;
  /** Of one person to servers, from memory like `entitlement`. */
  accessOf(userId: string): ((server: CatalogueServer) => Access) | Promise<(server: CatalogueServer) => Access>;
  /**
   * Starts the trial that the server's manifest gives.
   * @throws SoukError invalid_request where it gives none or the person has access already; trial_used where there was one before
   */
  startTrial(userId: string, server: CatalogueServer): Promise<void>;
  /** The servers whose trial a person has had, with this account or an earlier one of their address. */
  triedServers(userId: string): Promise<ReadonlySet<string>>;
  /** What a person owns was changed: told to every replica. */
  announce(userId: string): Promise<void>;
  /** What plans give has changed: everyone's access is read again on this replica. */
  forgetAll(): void;
  /** Called on every replica after what a person owns has changed; undefined: of any person. Answers a function that ends it. */
  onChange(listener: (userId: string | undefined) => void): () => void;
  /** Calls the listeners for everyone of whom something has ended since the last look; runs every 15 s by itself. */
  tellOfEnds(): Promise<void>;
  stop(): Promise<void>;
};

export async function createAccess(options: {
  db: Database;
  livemode: boolean;
  emailOf(userId: string): Promise<string | undefined>;
  trialAddresses: TrialAddresses;
  clock: Clock;
  uuid: () => string;
  log: Log;
}): Promise<AccessBook> {
  const { db, emailOf, trialAddresses, clock, uuid, log } = options;
  const store = createAccessStore(db, options.livemode);
  const owned = createPersonCache<Owned>((userId) => store.read(userId), clock, db);
  const listeners = new Set<(userId: string | undefined) => void>();
  const ourselves = randomUUID();

  function tell(userId: string | undefined): void {
    owned.forget(userId);
    for (const listener of listeners) listener(userId);
  }

  const stopListening = await db.listen(channel, (payload) => {
    const [origin, userId] = payload.split(' ');
    if (origin !== ourselves) tell(userId);
  });

  /** On this replica first, so that the person's next request sees the change, however slow the notice is. */
  async function announce(userId: string): Promise<void> {
    tell(userId);
    await announceAccess(db, ourselves, userId).catch((error: unknown) => {
      log.warn({ err: error }, 'a change of what a person owns was not announced to the other replicas');
    });
  }

  let lookedAtMs = clock.now();

  async function tellOfEnds(): Promise<void> {
    const span = { fromMs: lookedAtMs, toMs: clock.now() };
    const people = await findEnded(db.query, options.livemode, span);
    lookedAtMs = span.toMs;
    if (people) for (const userId of people) tell(userId);
    else tell(undefined);
  }
  // each replica for its own clients
  const looking = setInterval(() => {
    void tellOfEnds().catch((error: unknown) => {
      log.warn({ err: error }, 'periods that ended could not be looked up; clients ask again by themselves later');
    });
  }, lookEveryMs).unref();

  /** Time is read at each use: what is kept in memory ends on time too. */
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
    read: (userId) => store.read(userId),
    accessOf,
    async planOf(userId) {
      const plan = highestPlan(await store.read(userId), clock.now());
      return { planId: plan?.planId ?? 'free', planStatus: plan ? statusOf(plan, clock.now()) : 'active' };
    },
    async startTrial(userId, server) {
      const { name, billing } = server.manifest;
      if (billing?.trialDays === undefined)
        throw new SoukError('invalid_request', { message: `${name} offers no trial` });
      const now = clock.now();
      const { type } = accessTo(server, await store.read(userId), now);
      if (type !== 'none' && type !== 'trial')
        throw new SoukError('has_access', { message: `You have access to ${name} already` });
      const address = await emailOf(userId);
      if (address === undefined) throw new SoukError('not_found');
      const span = { startsAt: new Date(now), endsAt: new Date(now + billing.trialDays * dayMs) };
      const isNew = await addTrial({ id: uuid(), userId, address, serverId: server.id, ...span }, options);
      if (!isNew) {
        const message = `Your e-mail address has had the trial of ${name}. Each address gets it once.`;
        throw new SoukError('trial_used', { message });
      }
      await announce(userId);
    },
    async triedServers(userId) {
      const address = await emailOf(userId);
      return address === undefined ? new Set() : trialAddresses.read(db.query, { userId, address });
    },
    announce,
    forgetAll: () => tell(undefined),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tellOfEnds,
    async stop() {
      clearInterval(looking);
      await stopListening();
    },
  };
}
