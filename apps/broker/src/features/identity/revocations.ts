import { randomUUID } from 'node:crypto';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { findRevoked } from './find-revoked.ts';

const channel = 'identity_revoked';
const peopleChannel = 'identity_people';

/** `tokenId` as in Caller; undefined when notices may have been missed: check every session again. */
export type Revoked = { tokenId: string | undefined };
export type RevokedListener = (revoked: Revoked) => void;

/** `shut out`: everything that the user runs must end. */
export type PersonChange = 'shut out' | 'let in';
/** Undefined when notices may have been missed. */
export type PersonListener = (person: { userId: string; change: PersonChange } | undefined) => void;

export type Revocations = Awaited<ReturnType<typeof createRevocations>>;

/**
 * Tells every replica that a grant or personal token was revoked, or a user shut out. With a token, its sessions and
 * streams end, and running calls finish; with a user, calls end too.
 */
export async function createRevocations(db: Database, log: Log) {
  /** Sources of the tokens that are in use here. */
  const users = new Set<() => Iterable<string>>();
  const listeners = new Set<RevokedListener>();
  const peopleListeners = new Set<PersonListener>();
  const ourselves = randomUUID();
  const tell = (tokenId: string | undefined) => {
    for (const listener of listeners) listener({ tokenId });
  };
  const notifyListeners: PersonListener = (person) => {
    for (const listener of peopleListeners) listener(person);
  };
  const stops = await Promise.all([
    db.listen(
      channel,
      (payload) => {
        const [origin, tokenId] = payload.split(' ');
        if (origin !== ourselves) tell(tokenId);
      },
      lookForRevoked,
    ),
    db.listen(
      peopleChannel,
      (payload) => {
        const [origin, userId, change] = payload.split(' ');
        if (userId === undefined) notifyListeners(undefined);
        else if (origin !== ourselves) notifyListeners({ userId, change: change === 'in' ? 'let in' : 'shut out' });
      },
      () => notifyListeners(undefined),
    ),
  ]);

  /** Looks up the tokens in use while no notices arrive. */
  function lookForRevoked(): void {
    const inUse = new Set([...users].flatMap((tokens) => [...tokens()]));
    findRevoked(db.query, [...inUse]).then(
      (revoked) => revoked.forEach(tell),
      (error: unknown) => log.warn({ err: error }, 'revoked tokens could not be looked up'),
    );
  }

  async function notify(name: string, payload: string): Promise<void> {
    await db.notify(name, `${ourselves} ${payload}`).catch((error: unknown) => {
      log.warn({ err: error }, 'a revocation was not announced to the other replicas');
    });
  }

  async function announce(tokenId: string): Promise<void> {
    // here first: the next request of the user who revoked it sees it, even if the notice is slow
    tell(tokenId);
    await notify(channel, tokenId);
  }

  async function announcePerson(userId: string, change: PersonChange): Promise<void> {
    notifyListeners({ userId, change });
    await notify(peopleChannel, `${userId} ${change === 'let in' ? 'in' : 'out'}`);
  }

  return {
    /** Never fails: the revocation itself is in the database, and every replica checks it again within seconds. */
    announce,
    /** Never fails. */
    announcePerson,
    /** Announces that a user was shut out, and the end of all their sign-ins. Never fails. */
    async announceShutOut(userId: string, tokenIds: readonly string[]): Promise<void> {
      // first, so that no call ends as if its client had hung up, which may cost credits
      await announcePerson(userId, 'shut out');
      await Promise.all(tokenIds.map(announce));
    },
    /** Adds a source of tokens in use, which are looked up while no notices arrive. Returns a function that removes it. */
    follow(tokensInUse: () => Iterable<string>): () => void {
      users.add(tokensInUse);
      return () => users.delete(tokensInUse);
    },
    subscribe(listener: RevokedListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    subscribeToPeople(listener: PersonListener): () => void {
      peopleListeners.add(listener);
      return () => peopleListeners.delete(listener);
    },
    async stop(): Promise<void> {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
