import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Database } from '#platform/db/database.ts';
import { sha256 } from '../hash.ts';
import { inGrace } from './record-store.ts';

/** A chain of ten seconds is short; this only ends a walk that something unforeseen made long. */
const maxSteps = 50;

export type RefreshRotation = ReturnType<typeof createRefreshRotation>;

/**
 * A refresh token has one successor, whoever asks how often: its value is derived from the old one and a key of this
 * installation. So of requests at the same moment, on any replica, each comes to the same new token, and a retry within the
 * grace (record-store.ts) is answered with it; one token never becomes two lines that both live on.
 * Nothing has to be kept for that, and nobody without the key can tell the successor of a token.
 */
export function createRefreshRotation(options: { db: Database; key: string }) {
  const repeats = new WeakSet<IncomingMessage>();

  const successorOf = (token: string) =>
    createHmac('sha256', options.key).update(`refresh-successor:${token}`).digest('base64url');

  async function look(token: string): Promise<{ used: boolean; in_grace: boolean } | undefined> {
    const { rows } = await options.db.query<{ used: boolean; in_grace: boolean }>(
      `select consumed_at is not null as used, coalesce(${inGrace}, false) as in_grace from oauth_records
       where model = 'RefreshToken' and id = $1 and expires_at > now()`,
      [sha256(token)],
    );
    return rows[0];
  }

  return {
    /** The token that comes after this one. */
    successorOf,

    /**
     * What a retry with a used token means: the token that its line has come to by now.
     * @returns undefined when this is no retry: the token is unknown, unused, or used longer ago than the grace.
     */
    async findRepeated(token: string): Promise<string | undefined> {
      const given = await look(token);
      if (!given?.used || !given.in_grace) return undefined;
      let tip: string | undefined;
      for (let next = successorOf(token), step = 0; step < maxSteps; next = successorOf(next), step++) {
        const found = await look(next);
        if (!found) return tip;
        tip = next;
        if (!found.used) return tip;
      }
      return tip;
    },

    /** The request carries what `findRepeated` answered: it gets an access token, and no further rotation. */
    markRepeat: (request: IncomingMessage): void => void repeats.add(request),
    isRepeat: (request: IncomingMessage): boolean => repeats.has(request),

    /** Makes the refresh tokens of this provider by the rule above; the first of a line stays random. */
    install(provider: Provider): void {
      const { prototype } = provider.RefreshToken;
      const random: unknown = Reflect.get(prototype, 'generateTokenId');
      if (typeof random !== 'function') throw new Error('oidc-provider makes token ids in another way by now');
      Object.defineProperty(prototype, 'generateTokenId', {
        value(this: object): string {
          const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken;
          return rotated ? successorOf(rotated.jti) : String(Reflect.apply(random, this, []));
        },
      });
    },
  };
}
