import { randomUUID } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createPreferenceStore } from './preference-store.ts';

const channel = 'connections_person';
/** Every change is told to every replica; this only bounds what a lost notice could cost. */
const trustMs = 5_000;
const maxPeople = 10_000;

/**
 * `userId` undefined when notices may have been missed: it may be anybody. `serverId` when what the person has at that
 * server has changed, so that open connections of theirs must end.
 */
export type PersonListener = (userId: string | undefined, serverId?: string) => void;

/** What each person has switched off. */
export type Preferences = {
  /** From memory for a few seconds: asked at every list and call. */
  disabledServers(userId: string): Promise<ReadonlySet<string>>;
  /** From the database, in alphabetical order. */
  readDisabled(userId: string): Promise<string[]>;
  switchOn(userId: string, serverId: string): Promise<void>;
  switchOff(userId: string, serverId: string): Promise<void>;
  /** Replaces the list whole. The ids must be of known servers. */
  replace(userId: string, serverIds: readonly string[]): Promise<void>;
  /** Tells every replica that somebody's lists may differ from now on. */
  announce(userId: string, serverId?: string): Promise<void>;
  /** Called on every replica after somebody's lists changed. Answers a function that ends it. */
  onChange(listener: PersonListener): () => void;
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
  const known = new Map<string, { disabled: ReadonlySet<string>; untilMs: number }>();
  const listeners = new Set<PersonListener>();
  const ourselves = randomUUID();
  // Counts changes: what was read before one of them must not be kept after it.
  let epoch = 0;

  function tell(userId: string | undefined, serverId?: string): void {
    epoch++;
    if (userId === undefined) known.clear();
    else known.delete(userId);
    for (const listener of listeners) listener(userId, serverId);
  }

  const stopListening = await db.listen(channel, (payload) => {
    const [origin, userId, serverId] = payload.split(' ');
    if (origin !== ourselves) tell(userId, serverId);
  });

  /** Here first, so that whoever switched sees it with their next request, however slow the notice is. */
  async function announce(userId: string, serverId?: string): Promise<void> {
    tell(userId, serverId);
    await db.notify(channel, [ourselves, userId, serverId].filter(Boolean).join(' ')).catch((error: unknown) => {
      log.warn({ err: error }, 'a change of preferences was not announced to the other replicas');
    });
  }

  return {
    async disabledServers(userId) {
      const found = known.get(userId);
      if (found && found.untilMs > clock.now()) return found.disabled;
      const begun = epoch;
      const disabled: ReadonlySet<string> = new Set(await store.readDisabled(userId));
      if (epoch === begun) {
        if (known.size >= maxPeople) known.clear();
        known.set(userId, { disabled, untilMs: clock.now() + trustMs });
      }
      return disabled;
    },
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
    stop: stopListening,
  };
}
