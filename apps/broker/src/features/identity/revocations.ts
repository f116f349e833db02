import { randomUUID } from 'node:crypto';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';

const channel = 'identity_revoked';

/** `tokenId` as in Caller; undefined when notices may have been missed, so that every session must be looked at again. */
export type Revoked = { tokenId: string | undefined };
export type RevokedListener = (revoked: Revoked) => void;

export type Revocations = Awaited<ReturnType<typeof createRevocations>>;

/** Tells every replica that a grant or personal token was revoked, so that they end what still runs on it. */
export async function createRevocations(db: Database, log: Log) {
  const listeners = new Set<RevokedListener>();
  const ourselves = randomUUID();
  const tell = (tokenId: string | undefined) => {
    for (const listener of listeners) listener({ tokenId });
  };
  const stopListening = await db.listen(channel, (payload) => {
    const [origin, tokenId] = payload.split(' ');
    if (origin !== ourselves) tell(tokenId);
  });
  return {
    /** Never fails: the revocation itself is in the database, and every replica asks it again within seconds. */
    async announce(tokenId: string): Promise<void> {
      // Here first: the next request of the person who revoked it sees it, however slow the notice is.
      tell(tokenId);
      await db.notify(channel, `${ourselves} ${tokenId}`).catch((error: unknown) => {
        log.warn({ err: error }, 'a revocation was not announced to the other replicas');
      });
    },
    /** @returns a function that takes the listener off again. */
    subscribe(listener: RevokedListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: stopListening,
  };
}
