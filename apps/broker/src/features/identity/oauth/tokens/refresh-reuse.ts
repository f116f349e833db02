import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Database } from '#platform/db/database.ts';
import { sha256 } from '../../hash.ts';
import { frontendClientId } from '../resources.ts';

/*
 * Policy for the second use of a refresh token (docs/decisions/0008 and 0013).
 * - A token has one successor, whose value is derived from it and a key of this installation. Requests that race, on
 *   any replica, get the same new token, without anything being stored.
 * - Native and hosted clients have a grace of ten seconds, since answers get lost and two windows refresh at once.
 *   Within it a used token is a retry, answered with the newest token of its line, without another rotation.
 * - Our web client has no grace, because it serializes its refreshes. It names each renewal before it sends it, and
 *   repeats the name until it has an answer. For ten minutes a used token with its name is a retry, answered with the
 *   one successor as long as that is unused.
 * - Everything else is reuse: a copy may have been stolen, so oidc-provider ends the sign-in.
 */

/**
 * SQL: the record is a used token within its grace. The web client is excluded, not given an interval of zero: a statement
 * that waited for the winner's lock still has an older now().
 */
const inGrace = `(model = 'RefreshToken' and payload->>'clientId' <> '${frontendClientId}' and consumed_at + interval '10 seconds' > now())`;

/** SQL: the renewal with this hash used the record within the last ten minutes, the life of an access token. */
const inRenewal = (hash: string, record = '') =>
  `coalesce(${record}renewal_hash = ${hash} and ${record}consumed_at + interval '10 minutes' > now(), false)`;

/** SQL: the record counts as used. `renewal`: the parameter with `currentRenewal()`. */
export const countsAsUsed = (renewal: string) =>
  `consumed_at is not null and not ${inGrace} and not ${inRenewal(renewal)}`;

/** SQL: the record may be used, for the first time or as a retry. */
export const mayBeUsed = (renewal: string) => `(consumed_at is null or ${inGrace} or ${inRenewal(renewal)})`;

/** At least 128 bits, against guessing; bounded, because it comes from outside. */
const wellFormedName = /^[A-Za-z0-9_-]{22,64}$/;

/** A line grows by a few tokens in ten seconds; this limits the walk in unforeseen cases. */
const maxSteps = 50;

export type RefreshReuse = ReturnType<typeof createRefreshReuse>;

export function createRefreshReuse({ db, key }: { db: Database; key: string }) {
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

  /** Finds the newest token of a line; undefined when this token is unknown, unused, or past its grace. */
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

  /** Finds the successor that this renewal got. A successor that has been used since is refused as reuse later. */
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
    /** Returns the token to continue with for a native or hosted client: for a retry, the newest of its line. */
    async resolve(request: IncomingMessage, token: string): Promise<string> {
      return goOnWith(request, token, await findNewest(token));
    },

    /**
     * Resolves the token with which the web client refreshes, in the renewal of this name.
     * @param name what the browser sent; an ill-formed one counts as none
     * @returns the token to continue with: for a retry whose answer was lost, the successor
     */
    async resolveForWeb(request: IncomingMessage, token: string, name: string | null): Promise<string> {
      if (name === null || !wellFormedName.test(name)) return token;
      const renewal = sha256(name);
      // the record store recognizes the request by it from here on
      renewals.set(request, renewal);
      return goOnWith(request, token, await findSuccessor(token, renewal));
    },

    /** Whether the request is a retry, which gets an access token without another rotation. */
    isRetry: (request: IncomingMessage): boolean => retries.has(request),

    /** Hash of the web client's renewal that oidc-provider is answering, if any. */
    currentRenewal(): string | null {
      const request = Provider.ctx?.req;
      return (request && renewals.get(request)) ?? null;
    },

    /** Makes this provider derive refresh tokens from their predecessors; the first of a line stays random. */
    install(provider: Provider): void {
      const { prototype } = provider.RefreshToken;
      const random: unknown = Reflect.get(prototype, 'generateTokenId');
      if (typeof random !== 'function')
        throw new Error('this version of oidc-provider generates token ids differently');
      Object.defineProperty(prototype, 'generateTokenId', {
        value(this: object): string {
          const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken;
          return rotated ? successorOf(rotated.jti) : String(Reflect.apply(random, this, []));
        },
      });
    },
  };
}
