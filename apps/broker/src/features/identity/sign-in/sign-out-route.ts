import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import { SoukError } from '#platform/errors.ts';
import type { Authorizations } from '../oauth/authorizations.ts';
import type { FrontendCookie } from '../oauth/frontend-cookie.ts';

export type SignOut = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Ends what this browser is signed in with, as far as it is signed in: the authorization server's session, the web app's
 * authorization with all its tokens, and every cookie.
 */
export function createSignOut(options: {
  provider: Provider;
  cookie: FrontendCookie;
  authorizations: Authorizations;
}): SignOut {
  const { provider, cookie, authorizations } = options;
  return async (request, reply) => {
    const refreshToken = cookie.read(request);
    const found = refreshToken === undefined ? undefined : await provider.RefreshToken.find(refreshToken);
    if (found?.accountId !== undefined && found.grantId !== undefined) {
      await authorizations.end(found.accountId, found.grantId);
    }
    const session = cookie.readSession(request);
    if (session !== undefined) await authorizations.endSession(session);
    cookie.signOut(reply);
  };
}

/**
 * POST /oauth/logout: signs this browser out; one that is not signed in gets the same answer. Beside POST /oauth/revoke
 * (RFC 7009), which needs a refresh token that is still there.
 */
export function mountSignOutRoute(app: FastifyInstance, publicUrl: string, signOut: SignOut): void {
  app.post('/oauth/logout', async (request, reply) => {
    // A cookie route: another site must not be able to sign people out.
    if (request.headers.origin !== publicUrl) throw new SoukError('foreign_origin');
    await signOut(request, reply);
    return reply.code(204).header('cache-control', 'no-store').send();
  });
}
