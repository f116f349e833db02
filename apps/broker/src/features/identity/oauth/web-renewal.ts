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
export const inRenewal = (hash: string) =>
  `coalesce(renewal_hash = ${hash} and consumed_at + interval '10 minutes' > now(), false)`;

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
      const { rows } = await db.query<{ used: boolean; ours: boolean }>(
        `select next.consumed_at is not null as used, given.ours
         from (select ${inRenewal('$3')} as ours from oauth_records where model = 'RefreshToken' and id = $1) given,
           oauth_records next where next.model = 'RefreshToken' and next.id = $2 and next.expires_at > now()`,
        [sha256(token), sha256(successor), hash],
      );
      const [next] = rows;
      // who has used the successor has its answer: this is no retry, and the used token takes its way as reuse
      if (next?.used) return undefined;
      hashes.set(request, hash);
      return next?.ours ? successor : undefined;
    },

    /** Of the request that oidc-provider is answering; null when it is no such renewal. */
    currentHash(): string | null {
      const request = Provider.ctx?.req;
      return (request && hashes.get(request)) ?? null;
    },
  };
}
