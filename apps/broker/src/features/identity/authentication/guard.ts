import { SoukError } from '#platform/errors.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Guard } from '#platform/http/router.ts';
import type { IdentityOptions } from '../identity-options.ts';
import { isPersonalToken } from '../tokens/personal-token-store.ts';
import type { PersonalTokens } from '../tokens/personal-tokens.ts';
import type { GuessLimit } from './guess-limit.ts';
import { readBearer } from './bearer.ts';
import type { AccessTokens } from './verify-access-token.ts';

/**
 * The token table of the clarifications for the REST API. It is asked with the access class of the endpoint that a
 * request reached, never by a prefix of its path. An MCP client's token is never good here: its audience is another.
 */
export function createGuard(
  accessTokens: AccessTokens,
  personalTokens: PersonalTokens,
  apiResource: string,
  waitOfGuesser: GuessLimit,
  noteRefused: IdentityOptions['noteRefusedAdmin'],
): Guard {
  async function identify(authorization: string): Promise<Caller | undefined> {
    const token = readBearer(authorization);
    if (token === undefined) return undefined;
    if (isPersonalToken(token)) return personalTokens.authenticate(token);
    const caller = await accessTokens.verify(authorization, apiResource);
    return caller?.kind === 'web' ? caller : undefined;
  }

  /** A call of administrators that someone else sent, and may not. */
  async function refuse(caller: Caller, call: string, address: string): Promise<never> {
    await noteRefused?.(caller, call, address);
    throw new SoukError('admin_required');
  }

  return async (authorization, access, { method, path }, address) => {
    if (authorization === undefined) {
      if (access === 'public' || access === 'refresh') return undefined;
      throw new SoukError('authentication_required');
    }
    // Public reads do not depend on a token, good or bad.
    if (access === 'public') return undefined;

    const caller = await identify(authorization);
    if (!caller) {
      const isSlowed = (await waitOfGuesser(authorization, address)) > 0;
      if (isSlowed) throw new SoukError('rate_limited');
      // the web app tells its person why they are signed out
      const isDeactivated = await accessTokens.isOfDeactivated(authorization, apiResource);
      throw new SoukError('unauthenticated', isDeactivated ? { reason: 'account_deactivated' } : {});
    }
    if (caller.kind === 'web') {
      if (access === 'admin' && caller.role !== 'admin') return refuse(caller, `${method} ${path}`, address);
      return caller;
    }
    switch (access) {
      case 'user':
        if (method === 'GET') return caller;
        throw new SoukError('unauthenticated');
      case 'refresh':
        // Re-reads only, as without a token: a token that runs in scripts must not make the broker call upstreams.
        return undefined;
      case 'admin':
        return refuse(caller, `${method} ${path}`, address);
      default:
        throw new SoukError('unauthenticated');
    }
  };
}
