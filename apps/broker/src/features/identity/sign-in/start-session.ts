import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';

const sessionSeconds = 14 * 86_400;

/**
 * Signs the browser in at the authorization server for GET /auth/google?return_to=…, which names no client; the next
 * authorization request finds the session. @returns the session's uid, which is worth nothing as a cookie
 */
export async function startSession(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  accountId: string,
  signedInAtMs: number,
): Promise<string> {
  const session = new provider.Session();
  session.loginAccount({ accountId, amr: ['fed'], loginTs: Math.floor(signedInAtMs / 1000) });
  await session.save(sessionSeconds);
  const context = provider.createContext(request.raw, reply.raw);
  const secure = provider.issuer.startsWith('https:');
  context.cookies.secure = secure;
  context.cookies.set(provider.cookieName('session'), session.jti, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/oauth',
    signed: true,
    maxAge: sessionSeconds * 1000,
    secure,
  });
  // Koa wrote to Node's response; Fastify's own cookies must not replace these
  const written = reply.raw.getHeader('set-cookie');
  reply.raw.removeHeader('set-cookie');
  if (written !== undefined) reply.header('set-cookie', typeof written === 'number' ? String(written) : written);
  return session.uid;
}
