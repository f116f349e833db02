import { randomUUID } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createPersonCache } from '#platform/person-cache.ts';
import { createPreferenceStore } from './preference-store.ts';

const channel = 'connections_person';

/**
 * `userId` undefined: notices may have been missed, so any person may have changed. `serverId`: the person's account at that
 * server has changed, so their open connections to it must end.
 */
export type PersonListener = (userId: string | undefined, serverId?: string) => void;

/** What each person has switched off. */
export type Preferences = {
  /** Asked at every list and call; from memory, without a promise, while it is known. */
  disabledServers(userId: string): ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /** From the database, in alphabetical order. */
  readDisabled(userId: string): Promise<string[]>;
  switchOn(userId: string, serverId: string): Promise<void>;
  switchOff(userId: string, serverId: string): Promise<void>;
  /** Replaces the list whole. The ids must be of known servers. */
  replace(userId: string, serverIds: readonly string[]): Promise<void>;
  /** Tells every replica that this person's lists may have changed. */
  announce(userId: string, serverId?: string): Promise<void>;
  /** Called on every replica after a person's lists changed. Answers a function that ends it. */
  onChange(listener: PersonListener): () => void;
  /** Called now and then while no notices of changes come. */
  onUnheard(listener: () => void): void;
  stop(): Promise<void>;
};

export async function createPreferences({
  db,
  clock,
  log,
}: {
  db: Database;
  clock: Clock;
  log: Log;
}): Promise<Preferences> {
  const store = createPreferenceStore(db);
  const disabled = createPersonCache<ReadonlySet<string>>(
    async (userId) => new Set(await store.readDisabled(userId)),
    clock,
    db,
  );
  const listeners = new Set<PersonListener>();
  const ourselves = randomUUID();

  function tell(userId: string | undefined, serverId?: string): void {
    disabled.forget(userId);
    for (const listener of listeners) listener(userId, serverId);
  }

  const unheard = new Set<() => void>();
  const hear = (payload: string) => {
    const [origin, userId, serverId] = payload.split(' ');
    if (origin !== ourselves) tell(userId, serverId);
  };
  // what is kept here is short-lived then by itself (platform/person-cache.ts)
  const stopListening = await db.listen(channel, hear, () => {
    for (const listener of unheard) listener();
  });

  /** On this replica first, so that the person's next request sees the change, however slow the notice is. */
  async function announce(userId: string, serverId?: string): Promise<void> {
    tell(userId, serverId);
    await db.notify(channel, [ourselves, userId, serverId].filter(Boolean).join(' ')).catch((error: unknown) => {
      log.warn({ err: error }, 'a change of preferences was not announced to the other replicas');
    });
  }

  return {
    disabledServers: disabled.get,
    readDisabled: (userId) => store.readDisabled(userId),
    async switchOn(userId, serverId) {
      await store.remove(userId, serverId);
      await announce(userId);
    },
    async switchOff(userId, serverId) {
      await store.add(userId, serverId, new Date(clock.now()));
      await announce(userId);
    },
    async replace(userId, serverIds) {
      await store.replace(userId, serverIds, new Date(clock.now()));
      await announce(userId);
    },
    announce,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onUnheard: (listener) => void unheard.add(listener),
    stop: stopListening,
  };
}
