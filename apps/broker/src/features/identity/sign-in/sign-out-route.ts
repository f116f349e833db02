import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SoukError } from '#platform/errors.ts';
import type { AuthorizationServer } from '../oauth/create-authorization-server.ts';

/**
 * Signs this browser out, as far as it is signed in: ends the authorization server's session and the web app's
 * authorization with its tokens, and clears every cookie.
 */
export async function signOut(
  { provider, cookie, authorizations }: AuthorizationServer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const refreshToken = cookie.read(request);
  const found = refreshToken === undefined ? undefined : await provider.RefreshToken.find(refreshToken);
  if (found?.accountId !== undefined && found.grantId !== undefined) {
    await authorizations.end(found.accountId, found.grantId);
  }
  const session = cookie.readSession(request);
  if (session !== undefined) await authorizations.endSession(session);
  cookie.signOut(reply);
}

/**
 * Mounts POST /oauth/logout, which answers the same for a browser that is not signed in. POST /oauth/revoke (RFC 7009)
 * cannot replace it: it needs a refresh token that still exists.
 */
export function mountSignOutRoute(
  app: FastifyInstance,
  context: { publicUrl: string; signOut(request: FastifyRequest, reply: FastifyReply): Promise<void> },
): void {
  app.post('/oauth/logout', async (request, reply) => {
    // a cookie route: another site must not be able to sign users out
    if (request.headers.origin !== context.publicUrl) throw new SoukError('foreign_origin');
    await context.signOut(request, reply);
    return reply.code(204).header('cache-control', 'no-store').send();
  });
}
