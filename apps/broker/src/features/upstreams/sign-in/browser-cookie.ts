import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ids } from '#platform/ids.ts';
import { lifetimeMs } from './pending-sign-ins.ts';

const secretPattern = /^[A-Za-z0-9_-]{43}$/;
/** Path of the call that finishes a sign-in, the only one that reads the cookie. */
const path = '/mcp/oauth/callback';

/**
 * Binds a sign-in to the browser that begins it, so that it cannot be finished in another one. Each sign-in has its own
 * cookie, since a browser may run several concurrently.
 * @returns the secret that the cookie carries
 */
export function bindToBrowser(
  reply: FastifyReply,
  state: string,
  { ids, publicUrl }: { ids: Ids; publicUrl: string },
): string {
  const secret = ids.secret(32);
  reply.setCookie(cookieName(state), secret, {
    path,
    httpOnly: true,
    // Only scripts of our own pages send it; the redirect back does not need it.
    sameSite: 'strict',
    secure: publicUrl.startsWith('https:'),
    maxAge: lifetimeMs / 1000,
  });
  return secret;
}

/** Returns the secret in this browser's cookie for the sign-in with this state. */
export function browserOf(request: FastifyRequest, state: string): string | undefined {
  const value = request.cookies[cookieName(state)];
  return value !== undefined && secretPattern.test(value) ? value : undefined;
}

export function forgetBrowser(reply: FastifyReply, state: string): void {
  reply.clearCookie(cookieName(state), { path });
}

/** Returns a valid cookie name: a state comes from outside and may contain anything, so it is hashed. */
export function cookieName(state: string): string {
  return `souk_connect_${createHash('sha256').update(state).digest('base64url').slice(0, 16)}`;
}
