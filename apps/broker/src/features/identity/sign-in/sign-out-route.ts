import type { FastifyInstance } from 'fastify';
import type { Provider } from 'oidc-provider';
import { SoukError } from '#platform/errors.ts';
import type { Authorizations } from '../oauth/authorizations.ts';
import type { FrontendCookie } from '../oauth/frontend-cookie.ts';

/**
 * POST /oauth/logout: ends what this browser is signed in with, whatever is left of it. The authorization server's session,
 * the web app's authorization with all its tokens, and every cookie go; a browser with none of them is told so too.
 * Beside POST /oauth/revoke (RFC 7009), which needs a refresh token that is still there.
 */
export function mountSignOutRoute(
  app: FastifyInstance,
  options: { provider: Provider; publicUrl: string; cookie: FrontendCookie; authorizations: Authorizations },
): void {
  const { provider, cookie, authorizations } = options;
  app.post('/oauth/logout', async (request, reply) => {
    // A cookie route: another site must not be able to sign people out.
    if (request.headers.origin !== options.publicUrl) throw new SoukError('foreign_origin');
    const refreshToken = cookie.read(request);
    const found = refreshToken === undefined ? undefined : await provider.RefreshToken.find(refreshToken);
    if (found?.accountId !== undefined && found.grantId !== undefined) {
      await authorizations.end(found.accountId, found.grantId);
    }
    const session = cookie.readSession(request);
    if (session !== undefined) await authorizations.endSession(session);
    cookie.signOut(reply);
    return reply.code(204).header('cache-control', 'no-store').send();
  });
}
