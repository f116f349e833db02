import { SignJWT, jwtVerify } from 'jose';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

const cookieName = 'souk_upstream';
const lifeSeconds = 600;

const pendingSchema = z.object({
  verifier: z.string(),
  state: z.string(),
  nonce: z.string(),
  /** The interaction that goes on afterwards. */
  interaction: z.string().optional(),
  /** Whether the person has allowed the client of that interaction. */
  allowed: z.boolean().optional(),
  /** Or the address that a sign-in without a client returns to. */
  returnTo: z.string().optional(),
});
export type Pending = z.infer<typeof pendingSchema>;

export type PendingCookie = ReturnType<typeof createPendingCookie>;

/** Binds an outside sign-in to the browser that started it: signed, HttpOnly, ten minutes, once. */
export function createPendingCookie(options: { publicUrl: string; cookieKey: string }) {
  const key = new TextEncoder().encode(`${options.cookieKey}:pending-sign-in`);
  const attributes = {
    httpOnly: true,
    sameSite: 'lax',
    path: '/auth',
    secure: options.publicUrl.startsWith('https:'),
  } as const;

  return {
    async store(reply: FastifyReply, pending: Pending): Promise<void> {
      const value = await new SignJWT(pending)
        .setProtectedHeader({ alg: 'HS256', typ: 'pending-sign-in' })
        .setIssuedAt()
        .setExpirationTime(`${lifeSeconds}s`)
        .sign(key);
      reply.setCookie(cookieName, value, { ...attributes, maxAge: lifeSeconds });
    },

    /** What was stored, undefined when there is none, it has expired or somebody else made it. Clears the cookie. */
    async take(request: FastifyRequest, reply: FastifyReply): Promise<Pending | undefined> {
      const value = request.cookies[cookieName];
      reply.clearCookie(cookieName, attributes);
      if (value === undefined) return undefined;
      try {
        const { payload } = await jwtVerify(value, key, { algorithms: ['HS256'], typ: 'pending-sign-in' });
        return pendingSchema.parse(payload);
      } catch {
        return undefined;
      }
    },
  };
}
