import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

const cookieName = 'souk_refresh';
/** Tells the page's scripts that there is a sign-in, so that they request no tokens for a visitor without one. */
const hintName = 'souk_signed_in';
/** oidc-provider's own session and its signature (create-provider.ts) */
const serverSessionCookies = ['souk_session', 'souk_session.sig'] as const;
/** Cookies of part 1 of the specification. They are no longer read; a browser may still have them. */
const olderCookies = ['user_data', 'auth_token'];
const maxAgeSeconds = 30 * 86_400;

/**
 * The web app's refresh token is in an HttpOnly cookie that no script can read and no other site can make the browser
 * send. The answer's refreshToken is a handle that names the sign-in and is worth nothing alone: by it a tab notices
 * that the cookie now belongs to another sign-in (clarifications, Sign-in).
 */
export type FrontendCookie = ReturnType<typeof createFrontendCookie>;

export function createFrontendCookie(parts: {
  publicUrl: string;
  cookieKey: string;
  secret: (bytes: number) => string;
}) {
  const secure = parts.publicUrl.startsWith('https:');
  const everywhere = `SameSite=Strict${secure ? '; Secure' : ''}`;
  const attributes = `Path=/oauth; HttpOnly; ${everywhere}`;
  const nameOf = (grantId: string) =>
    createHmac('sha256', parts.cookieKey).update(`refresh-handle:${grantId}`).digest('base64url');
  const clear = (reply: FastifyReply) => {
    reply.header('set-cookie', [
      `${cookieName}=; Max-Age=0; ${attributes}`,
      `${hintName}=; Max-Age=0; Path=/; ${everywhere}`,
    ]);
  };

  return {
    name: cookieName,
    read: (request: FastifyRequest): string | undefined => request.cookies[cookieName],
    /** Set-Cookie values that store a refresh token. */
    store: (refreshToken: string) => [
      `${cookieName}=${refreshToken}; Max-Age=${maxAgeSeconds}; ${attributes}`,
      `${hintName}=1; Max-Age=${maxAgeSeconds}; Path=/; ${everywhere}`,
    ],
    clear,
    /** Sign Out: also clears the authorization server's cookies, or the next Sign In would not ask for the account. */
    signOut(reply: FastifyReply) {
      clear(reply);
      reply.header(
        'set-cookie',
        serverSessionCookies.map((name) => `${name}=; Max-Age=0; Path=/oauth; HttpOnly${secure ? '; Secure' : ''}`),
      );
      reply.header(
        'set-cookie',
        olderCookies.map((name) => `${name}=; Max-Age=0; Path=/`),
      );
    },
    readSession: (request: FastifyRequest): string | undefined => request.cookies[serverSessionCookies[0]],
    /** Returns a new handle, whose first part names the grant. */
    handleFor: (grantId: string) => `${nameOf(grantId)}.${parts.secret(9)}`,
    /** Whether a handle from a request's body belongs to this grant. */
    handleNames(handle: string, grantId: string): boolean {
      const given = Buffer.from(handle.split('.')[0] ?? '');
      const wanted = Buffer.from(nameOf(grantId));
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    },
  };
}
