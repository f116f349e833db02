import { mcpScopes } from '@souk/contract/identity.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { PersonalTokens } from '../tokens/personal-tokens.ts';
import { isPersonalToken } from '../tokens/personal-token-store.ts';
import { readBearer } from './bearer.ts';
import type { RememberedCallers } from './remembered-callers.ts';
import type { AccessTokens } from './verify-access-token.ts';

/** Content of WWW-Authenticate (RFC 6750, section 3). It has no error when no token was sent. */
export type McpChallenge = {
  status: 401 | 403;
  error?: 'invalid_token' | 'insufficient_scope';
  description?: string;
  /** The scopes that would suffice; all of them if undefined. */
  scope?: string;
};
export type McpAuthentication = { caller: Caller } | { challenge: McpChallenge };

/**
 * Identifies the caller of an MCP endpoint. An access token must be for exactly this resource; a personal token opens
 * every MCP endpoint; the web app's token opens none (clarifications, token table).
 */
export function createAuthenticateMcp(
  accessTokens: AccessTokens,
  personalTokens: PersonalTokens,
  remembered: RememberedCallers<{ challenge: McpChallenge }>,
) {
  async function verify(authorization: string, resource: string): Promise<McpAuthentication> {
    const token = readBearer(authorization);
    const caller =
      token !== undefined && isPersonalToken(token)
        ? await personalTokens.authenticate(token)
        : await accessTokens.verify(authorization, resource);
    if (!caller || caller.kind === 'web') {
      const description = 'The access token is missing, expired, revoked or not for this address';
      return { challenge: { status: 401, error: 'invalid_token', description } };
    }
    if (!caller.scopes.some((scope) => mcpScopes.some((known) => known === scope))) {
      const description = `One of the scopes ${mcpScopes.join(', ')} is needed`;
      return { challenge: { status: 403, error: 'insufficient_scope', description } };
    }
    return { caller };
  }

  return async (authorization: string | undefined, resource: string): Promise<McpAuthentication> =>
    authorization === undefined
      ? { challenge: { status: 401 } }
      : remembered.findOrVerify(authorization, resource, () => verify(authorization, resource));
}
