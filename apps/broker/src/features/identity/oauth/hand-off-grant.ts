import { createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import { mcpScopes } from '@souk/contract/identity.ts';
import type { Ids } from '#platform/ids.ts';
import { sha256 } from '../hash.ts';
import { frontendClientId, type Resources } from './resources.ts';
import type { TokenRefusal } from './token-endpoint.ts';

export const handOffGrantType = 'urn:souk:grant:handoff';

const scope = mcpScopes.join(' ');

export type HandOff = ReturnType<typeof createHandOff>;

/**
 * The ticket that /auth/success gets in its address (clarifications, Sign-in). It is an authorization code of the web
 * client whose proof of possession only we can compute: so it is stored hashed, lives 60 seconds, works once, a second use
 * revokes the tokens of the first, and neither the ordinary code grant nor another client can redeem it.
 */
export function createHandOff(options: {
  provider: Provider;
  publicUrl: string;
  cookieKey: string;
  resources: Resources;
  ids: Ids;
}) {
  const { provider, publicUrl, resources } = options;
  const redirectUri = `${publicUrl}/auth/success`;
  /** RFC 7636 wants 43 characters at least: an HMAC-SHA-256 in base64url has exactly these. */
  const verifierFor = (ticket: string) =>
    createHmac('sha256', options.cookieKey).update(`hand-off:${ticket}`).digest('base64url');

  return {
    /** @returns a ticket for this person; `sessionUid` names the browser's session, which their sign-out then ends too. */
    async issue(accountId: string, sessionUid: string): Promise<string> {
      const client = await provider.Client.find(frontendClientId);
      if (!client) throw new Error('the web client is not configured');
      const grant = new provider.Grant({ clientId: frontendClientId, accountId });
      grant.addOIDCScope('openid email profile');
      grant.addResourceScope(resources.api, scope);
      const ticket = options.ids.secret(32);
      const code = new provider.AuthorizationCode({
        jti: ticket,
        gty: 'authorization_code',
        client,
        accountId,
        grantId: await grant.save(),
        redirectUri,
        resource: [resources.api],
        scope,
        sessionUid,
        codeChallenge: sha256(verifierFor(ticket)),
        codeChallengeMethod: 'S256',
      });
      return code.save();
    },

    /** Turns a request with a ticket into the code exchange that it stands for; leaves every other form alone. */
    rewrite(request: FastifyRequest, form: URLSearchParams): TokenRefusal | undefined {
      if (form.get('grant_type') !== handOffGrantType) return undefined;
      const [ticket, another] = form.getAll('token');
      if (ticket === undefined || another !== undefined || form.get('client_id') !== frontendClientId) {
        return {
          status: 400,
          error: 'invalid_request',
          description: 'a hand-off has one token and is for the web client',
        };
      }
      // A code may come from a program; a ticket is only ever swapped by our own page.
      if (request.headers.origin !== publicUrl) {
        return { status: 403, error: 'invalid_request', description: 'the Origin header must name this installation' };
      }
      form.delete('token');
      form.set('grant_type', 'authorization_code');
      form.set('code', ticket);
      form.set('redirect_uri', redirectUri);
      form.set('code_verifier', verifierFor(ticket));
      return undefined;
    },
  };
}
