import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ids } from '#platform/ids.ts';
import { lifetimeMs } from './pending-sign-ins.ts';

const secretPattern = /^[A-Za-z0-9_-]{43}$/;
/** The call that finishes a sign-in, the only one that reads the cookie. */
const path = '/mcp/oauth/callback';

/**
 * Binds a sign-in to the browser that it begins in: a link that was begun elsewhere cannot be finished there. Each has a
 * cookie of its own, since two that begin at once know nothing of each other's.
 * @returns the secret that the browser has now
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
    // It is sent by scripts of our own pages alone; the redirect back needs none.
    sameSite: 'strict',
    secure: publicUrl.startsWith('https:'),
    maxAge: lifetimeMs / 1000,
  });
  return secret;
}

/** The secret that this browser has for the sign-in of this state. */
export function browserOf(request: FastifyRequest, state: string): string | undefined {
  const value = request.cookies[cookieName(state)];
  return value !== undefined && secretPattern.test(value) ? value : undefined;
}

/** The sign-in is over. */
export function forgetBrowser(reply: FastifyReply, state: string): void {
  reply.clearCookie(cookieName(state), { path });
}

/** A state comes from outside: its hash is always a name. */
export function cookieName(state: string): string {
  return `souk_connect_${createHash('sha256').update(state).digest('base64url').slice(0, 16)}`;
}
