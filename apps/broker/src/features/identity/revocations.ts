import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';

const channel = 'identity_revoked';

/** `tokenId` as in Caller; undefined when notices may have been missed, so that every session must be looked at again. */
type Revoked = { tokenId: string | undefined };
export type RevokedListener = (revoked: Revoked) => void;

/** Tells every replica that a grant or personal token is gone, so that they end what still runs on it. */
export async function createRevocations(db: Database, log: Log) {
  const listeners = new Set<RevokedListener>();
  const stopListening = await db.listen(channel, (payload) => {
    const revoked: Revoked = { tokenId: payload === '' ? undefined : payload };
    for (const listener of listeners) listener(revoked);
  });
  return {
    /** Never fails: the revocation itself is in the database, and every request looks there. */
    async announce(tokenId: string): Promise<void> {
      await db.notify(channel, tokenId).catch((error: unknown) => {
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
