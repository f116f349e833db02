import type { IncomingMessage } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Database } from '#platform/db/database.ts';
import { sha256 } from '../hash.ts';
import type { RefreshRotation } from './refresh-rotation.ts';

/** 128 bits at least, so that nobody else can name it; bounded, since it comes from outside. */
const wellFormed = /^[A-Za-z0-9_-]{22,64}$/;

/**
 * Whether the renewal that asks is the one that used this token: as long after as the access token would have lived that
 * the lost answer brought.
 */
export const inRenewal = (hash: string, record = '') =>
  `coalesce(${record}renewal_hash = ${hash} and ${record}consumed_at + interval '10 minutes' > now(), false)`;

export type WebRenewal = ReturnType<typeof createWebRenewal>;

/**
 * Our own web client has no grace: a refresh token that is used again ends the sign-in. But the network may lose the answer
 * that brought the next one. So the browser makes up a random name for each renewal before it sends it, and sends the same
 * name until it has an answer. Used token and name together are a retry, answered with the one successor, as long as
 * nobody has used that one; the token alone, or with another name, is reuse (docs/decisions/0013).
 */
export function createWebRenewal({ db, rotation }: { db: Database; rotation: RefreshRotation }) {
  const hashes = new WeakMap<IncomingMessage, string>();
  return {
    /**
     * The request is a renewal of this name: from here on the record store knows it by that (record-store.ts).
     * @param name what the browser sent; anything ill-formed counts as none
     * @returns the successor, when it was given out already and its answer seems to be lost
     */
    async begin(request: IncomingMessage, token: string, name: string | null): Promise<string | undefined> {
      if (name === null || !wellFormed.test(name)) return undefined;
      const hash = sha256(name);
      const successor = rotation.successorOf(token);
      hashes.set(request, hash);
      // a successor that was used is answered here too, and refused as reuse of its own: its owner has the answer
      const { rows } = await db.query(
        `select from oauth_records given, oauth_records next
         where given.model = 'RefreshToken' and given.id = $1 and ${inRenewal('$3', 'given.')}
           and next.model = 'RefreshToken' and next.id = $2 and next.expires_at > now()`,
        [sha256(token), sha256(successor), hash],
      );
      return rows.length > 0 ? successor : undefined;
    },

    /** Of the request that oidc-provider is answering; null when it is no such renewal. */
    currentHash(): string | null {
      const request = Provider.ctx?.req;
      return (request && hashes.get(request)) ?? null;
    },
  };
}
