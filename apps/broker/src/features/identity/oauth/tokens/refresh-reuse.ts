import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Database } from '#platform/db/database.ts';
import { sha256 } from '../../hash.ts';
import { frontendClientId } from '../resources.ts';

/*
 * What a refresh token that is used a second time means; all of it is here (docs/decisions/0008 and 0013).
 *
 * - A token has one successor, however often it is used: its value is derived from the old one and a key of this
 *   installation. Requests that race, on any replica, come to the same new token, and nothing has to be kept for that.
 * - Native and hosted clients have a grace of ten seconds, since answers are lost and two windows refresh at once. A used
 *   token is a retry then, answered with the token that its line has come to; it does not rotate again.
 * - Our web client has no grace, for it serialises its refreshes. It names each renewal before it sends it, and repeats
 *   the name until it has an answer. Used token and name together are a retry for ten minutes, answered with the one
 *   successor, as long as that is unused.
 * - Everything else is reuse: a copy may have been stolen, so oidc-provider ends the sign-in.
 */

/**
 * SQL: a record of oauth_records is a used token in its grace. A predicate of its own, never a zero interval: a statement
 * that waited for the winner's lock still has its older now().
 */
const inGrace = `(model = 'RefreshToken' and payload->>'clientId' <> '${frontendClientId}' and consumed_at + interval '10 seconds' > now())`;

/** SQL: the renewal whose hash is `$n` used the record, no longer ago than its lost access token would have lived. */
const inRenewal = (hash: string, record = '') =>
  `coalesce(${record}renewal_hash = ${hash} and ${record}consumed_at + interval '10 minutes' > now(), false)`;

/** SQL: a record counts as used; `renewal` names the parameter with `currentRenewal()`. */
export const countsAsUsed = (renewal: string) =>
  `consumed_at is not null and not ${inGrace} and not ${inRenewal(renewal)}`;

/** SQL: a record may be used, for the first time or as a retry. */
export const mayBeUsed = (renewal: string) => `(consumed_at is null or ${inGrace} or ${inRenewal(renewal)})`;

/** 128 bits at least, so that another cannot guess it; bounded, since it comes from outside. */
const wellFormedName = /^[A-Za-z0-9_-]{22,64}$/;

/** A line grows by a few tokens in ten seconds; this ends a walk that something unforeseen made long. */
const maxSteps = 50;

export type RefreshReuse = {
  /**
   * A native or hosted client refreshes with this token.
   * @returns the token to go on with: for a retry, the one that its line has come to
   */
  resolve(request: IncomingMessage, token: string): Promise<string>;
  /**
   * The web client refreshes with this token, in the renewal of this name.
   * @param name what the browser sent; an ill-formed one counts as none
   * @returns the token to go on with: for a retry whose answer was lost, the successor
   */
  resolveForWeb(request: IncomingMessage, token: string, name: string | null): Promise<string>;
  /** The request is a retry: it gets an access token, and no further rotation. */
  isRetry(request: IncomingMessage): boolean;
  /** Hash of the web client's renewal that oidc-provider is answering; null when it is none. */
  currentRenewal(): string | null;
  /** Makes the refresh tokens of this provider by the rule above; the first of a line stays random. */
  install(provider: Provider): void;
};

export function createRefreshReuse({ db, key }: { db: Database; key: string }): RefreshReuse {
  const retries = new WeakSet<IncomingMessage>();
  const renewals = new WeakMap<IncomingMessage, string>();

  const successorOf = (token: string) =>
    createHmac('sha256', key).update(`refresh-successor:${token}`).digest('base64url');

  async function look(token: string): Promise<{ used: boolean; in_grace: boolean } | undefined> {
    const { rows } = await db.query<{ used: boolean; in_grace: boolean }>(
      `select consumed_at is not null as used, coalesce(${inGrace}, false) as in_grace from oauth_records
       where model = 'RefreshToken' and id = $1 and expires_at > now()`,
      [sha256(token)],
    );
    return rows[0];
  }

  /** The newest token of a line; undefined when this token is unknown, unused, or was used longer ago than the grace. */
  async function findNewest(token: string): Promise<string | undefined> {
    const given = await look(token);
    if (!given?.used || !given.in_grace) return undefined;
    let newest: string | undefined;
    for (let next = successorOf(token), step = 0; step < maxSteps; next = successorOf(next), step++) {
      const found = await look(next);
      if (!found) return newest;
      newest = next;
      if (!found.used) return newest;
    }
    return newest;
  }

  /** The successor that this renewal was given already. One that was used since is found too, and refused as reuse of its own. */
  async function findSuccessor(token: string, renewal: string): Promise<string | undefined> {
    const successor = successorOf(token);
    const { rows } = await db.query(
      `select from oauth_records given, oauth_records next
       where given.model = 'RefreshToken' and given.id = $1 and ${inRenewal('$3', 'given.')}
         and next.model = 'RefreshToken' and next.id = $2 and next.expires_at > now()`,
      [sha256(token), sha256(successor), renewal],
    );
    return rows.length > 0 ? successor : undefined;
  }

  function goOnWith(request: IncomingMessage, token: string, retried: string | undefined): string {
    if (retried !== undefined) retries.add(request);
    return retried ?? token;
  }

  return {
    async resolve(request, token) {
      return goOnWith(request, token, await findNewest(token));
    },

    async resolveForWeb(request, token, name) {
      if (name === null || !wellFormedName.test(name)) return token;
      const renewal = sha256(name);
      // from here on the record store knows the request by it
      renewals.set(request, renewal);
      return goOnWith(request, token, await findSuccessor(token, renewal));
    },

    isRetry: (request) => retries.has(request),

    currentRenewal() {
      const request = Provider.ctx?.req;
      return (request && renewals.get(request)) ?? null;
    },

    install(provider) {
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
