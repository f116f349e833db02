import { randomUUID } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createPersonCache } from '#platform/person-cache.ts';
import { createPreferenceStore } from './preference-store.ts';

const channel = 'connections_person';

/**
 * Called when a user's lists may have changed. `userId` undefined: notices may have been missed, so those of any user.
 * `serverId`: the user's account at that server changed, so their open connections to it must end.
 */
export type PersonListener = (userId: string | undefined, serverId?: string) => void;

/** The servers that each user has switched off. */
export async function createPreferences(options: { db: Database; clock: Clock; log: Log }) {
  const { db, clock, log } = options;
  const store = createPreferenceStore(db);
  const disabled = createPersonCache<ReadonlySet<string>>(
    async (userId) => new Set(await store.readDisabled(userId)),
    clock,
    db,
  );
  const listeners = new Set<PersonListener>();
  const ourselves = randomUUID();

  function notifyListeners(userId: string | undefined, serverId?: string): void {
    disabled.forget(userId);
    for (const listener of listeners) listener(userId, serverId);
  }

  const lossListeners = new Set<() => void>();
  const hear = (payload: string) => {
    const [origin, userId, serverId] = payload.split(' ');
    if (origin !== ourselves) notifyListeners(userId, serverId);
  };
  // without notices, the cache itself expires quickly (platform/person-cache.ts)
  const stopListening = await db.listen(channel, hear, () => {
    for (const listener of lossListeners) listener();
  });

  /** Notifies this replica first, so that the user's next request sees the change even if the notice is slow. */
  async function announce(userId: string, serverId?: string): Promise<void> {
    notifyListeners(userId, serverId);
    await db.notify(channel, [ourselves, userId, serverId].filter(Boolean).join(' ')).catch((error: unknown) => {
      log.warn({ err: error }, 'a change of preferences was not announced to the other replicas');
    });
  }

  return {
    /**
     * Returns the servers that a user has switched off. Every list and call reads them: from memory and without a
     * promise while they are cached.
     */
    disabledServers: disabled.get,
    /** Reads the ids from the database, in alphabetical order. */
    readDisabled: store.readDisabled,
    async switchOn(userId: string, serverId: string): Promise<void> {
      await store.remove(userId, serverId);
      await announce(userId);
    },
    async switchOff(userId: string, serverId: string): Promise<void> {
      await store.add(userId, serverId, new Date(clock.now()));
      await announce(userId);
    },
    /** Replaces the whole list. The ids must be of known servers. */
    async replace(userId: string, serverIds: readonly string[]): Promise<void> {
      await store.replace(userId, serverIds, new Date(clock.now()));
      await announce(userId);
    },
    /** Announces to every replica that this user's lists may have changed. */
    announce,
    /** Calls `listener` on every replica after a user's lists changed. Returns a function that removes it. */
    onChange(listener: PersonListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Calls `listener` every few seconds while no notices of changes arrive. */
    onNoticesLost: (listener: () => void): void => void lossListeners.add(listener),
    stop: stopListening,
  };
}

export type Preferences = Awaited<ReturnType<typeof createPreferences>>;
