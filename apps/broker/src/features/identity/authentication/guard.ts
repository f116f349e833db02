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
 * Applies the token table of the clarifications to the REST API, by the access class of the endpoint that a request
 * reached, never by a prefix of its path. It never accepts an MCP client's token: that has another audience.
 */
export function createGuard(
  accessTokens: AccessTokens,
  personalTokens: PersonalTokens,
  apiResource: string,
  guessWait: GuessLimit,
  recordRefused: IdentityOptions['recordRefusedAdmin'],
): Guard {
  async function identify(authorization: string): Promise<Caller | undefined> {
    const token = readBearer(authorization);
    if (token === undefined) return undefined;
    if (isPersonalToken(token)) return personalTokens.authenticate(token);
    const caller = await accessTokens.verify(authorization, apiResource);
    return caller?.kind === 'web' ? caller : undefined;
  }

  async function refuse(caller: Caller, call: string, address: string): Promise<never> {
    await recordRefused?.(caller, call, address);
    throw new SoukError('admin_required');
  }

  return async (authorization, access, { method, path }, address) => {
    if (authorization === undefined) {
      if (access === 'public' || access === 'refresh') return undefined;
      throw new SoukError('authentication_required');
    }
    // public reads do not depend on a token, valid or not
    if (access === 'public') return undefined;

    const caller = await identify(authorization);
    if (!caller) {
      const isSlowed = (await guessWait(authorization, address)) > 0;
      if (isSlowed) throw new SoukError('rate_limited');
      // the web app tells the user why they are signed out
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
        // a plain re-read, as without a token: a token in a script must not make the broker call upstreams
        return undefined;
      case 'admin':
        return refuse(caller, `${method} ${path}`, address);
      default:
        throw new SoukError('unauthenticated');
    }
  };
}
