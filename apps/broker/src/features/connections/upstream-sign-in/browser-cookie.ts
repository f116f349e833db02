import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ids } from '#platform/ids.ts';

const name = 'souk_connect';
const secretPattern = /^[A-Za-z0-9_-]{43}$/;
const maxAgeSeconds = 24 * 60 * 60;

/** The browser's secret, which a sign-in is bound to: a link that was begun elsewhere cannot be finished here. */
export function readBrowser(request: FastifyRequest): string | undefined {
  const value = request.cookies[name];
  return value !== undefined && secretPattern.test(value) ? value : undefined;
}

/** The browser's secret, made now where it has none. Several sign-ins of one browser share it. */
export function rememberBrowser(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { ids, publicUrl }: { ids: Ids; publicUrl: string },
): string {
  const secret = readBrowser(request) ?? ids.secret(32);
  reply.setCookie(name, secret, {
    // the callback and both calls that begin a sign-in
    path: '/',
    httpOnly: true,
    // It is sent by scripts of our own pages alone; the redirect back needs none.
    sameSite: 'strict',
    secure: publicUrl.startsWith('https:'),
    maxAge: maxAgeSeconds,
  });
  return secret;
}
