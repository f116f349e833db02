import { randomUUID } from 'node:crypto';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { findRevoked } from './find-revoked.ts';

const channel = 'identity_revoked';
const peopleChannel = 'identity_people';

/** `tokenId` as in Caller; undefined when notices may have been missed, so that every session must be looked at again. */
export type Revoked = { tokenId: string | undefined };
export type RevokedListener = (revoked: Revoked) => void;

/** What became of a person: all that they run must end, or they may come in again. */
export type PersonChange = 'shut out' | 'let in';
/** Undefined when notices may have been missed. */
export type PersonListener = (person: { userId: string; change: PersonChange } | undefined) => void;

export type Revocations = Awaited<ReturnType<typeof createRevocations>>;

/**
 * Tells every replica that a grant or personal token was revoked, or a person shut out, so that they end what still runs.
 * With a token its sessions and streams end, and calls that run finish; with a person, calls end too.
 */
export async function createRevocations(db: Database, log: Log) {
  /** Who knows which tokens have something open here. */
  const users = new Set<() => Iterable<string>>();
  const listeners = new Set<RevokedListener>();
  const peopleListeners = new Set<PersonListener>();
  const ourselves = randomUUID();
  const tell = (tokenId: string | undefined) => {
    for (const listener of listeners) listener({ tokenId });
  };
  const tellOfPerson: PersonListener = (person) => {
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
        if (userId === undefined) tellOfPerson(undefined);
        else if (origin !== ourselves) tellOfPerson({ userId, change: change === 'in' ? 'let in' : 'shut out' });
      },
      () => tellOfPerson(undefined),
    ),
  ]);

  /** While no notices come: looks up the tokens that have something open. */
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
    tellOfPerson({ userId, change });
    await notify(peopleChannel, `${userId} ${change === 'let in' ? 'in' : 'out'}`);
  }

  return {
    /** Never fails: the revocation itself is in the database, and every replica checks it again within seconds. */
    announce,
    /** Never fails either. */
    announcePerson,
    /** Announces that a user was shut out, and the end of all that they were signed in with. Never fails either. */
    async announceShutOut(userId: string, tokenIds: readonly string[]): Promise<void> {
      // first, so that no call ends as if its client had hung up, which may cost credits
      await announcePerson(userId, 'shut out');
      await Promise.all(tokenIds.map(announce));
    },
    /** Names the tokens that have something open, each of which is looked up while no notices come. */
    follow(tokensInUse: () => Iterable<string>): () => void {
      users.add(tokensInUse);
      return () => users.delete(tokensInUse);
    },
    /** @returns a function that takes the listener off again. */
    subscribe(listener: RevokedListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** @returns a function that takes the listener off again. */
    subscribeToPeople(listener: PersonListener): () => void {
      peopleListeners.add(listener);
      return () => peopleListeners.delete(listener);
    },
    async stop(): Promise<void> {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
