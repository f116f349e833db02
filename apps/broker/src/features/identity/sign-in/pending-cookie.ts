import { SignJWT, jwtVerify } from 'jose';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sha256 } from '../hash.ts';

const lifeSeconds = 600;
/** Sign-ins that may wait in one browser: all their cookies must fit into the header of the callback's request. */
const maxWaiting = 8;
const prefix = 'souk_upstream_';
/** Lists the latest sign-ins of this browser, oldest first: where a sign-in starts, its own cookie is not visible. */
const latestCookie = 'souk_upstream';
const latestPattern = /^[\w-]{16}(\.[\w-]{16})*$/;

const pendingSchema = z.object({
  /** Id of the provider: only its answer counts. */
  provider: z.string(),
  verifier: z.string(),
  state: z.string(),
  nonce: z.string(),
  /** The interaction that continues afterwards. */
  interaction: z.string().optional(),
  /** Whether the user has allowed the client of that interaction. */
  allowed: z.boolean().optional(),
  /** Address that a sign-in without a client returns to. */
  returnTo: z.string().optional(),
  /** The user who signs in again for an action: only a recent sign-in of the same user counts. */
  againAs: z.string().optional(),
});
export type Pending = z.infer<typeof pendingSchema>;

/**
 * Binds an outside sign-in to the browser that started it: signed, HttpOnly, for ten minutes, once. Each sign-in has
 * its own cookie, because two tabs may start one each.
 */
export function createPendingCookie(parts: {
  publicUrl: string;
  cookieKey: string;
  /** Paths that finish a sign-in, one per provider. */
  callbackPaths: readonly string[];
}) {
  const key = new TextEncoder().encode(`${parts.cookieKey}:pending-sign-in`);
  const attributes = {
    httpOnly: true,
    sameSite: 'lax',
    secure: parts.publicUrl.startsWith('https:'),
  } as const;

  /** Two concurrent starts may lose one name of the list: that cookie then ends by its age alone. */
  function dropOldest(request: FastifyRequest, reply: FastifyReply, started: string): void {
    const known = request.cookies[latestCookie] ?? '';
    const names = [...(latestPattern.test(known) ? known.split('.') : []), started];
    for (const name of names.slice(0, -maxWaiting)) {
      // the list does not say which provider each belongs to
      for (const path of parts.callbackPaths) reply.clearCookie(prefix + name, { ...attributes, path });
    }
    // the only path that all starts share is the root
    const latest = names.slice(-maxWaiting).join('.');
    reply.setCookie(latestCookie, latest, { ...attributes, path: '/', maxAge: lifeSeconds });
  }

  return {
    /** @param path finishes this sign-in */
    async store(request: FastifyRequest, reply: FastifyReply, path: string, pending: Pending): Promise<void> {
      const value = await new SignJWT(pending)
        .setProtectedHeader({ alg: 'HS256', typ: 'pending-sign-in' })
        .setIssuedAt()
        .setExpirationTime(`${lifeSeconds}s`)
        .sign(key);
      reply.setCookie(pendingCookieName(pending.state), value, { ...attributes, path, maxAge: lifeSeconds });
      dropOldest(request, reply, nameOf(pending.state));
    },

    /**
     * Returns what was stored for this state at the callback `path`, and clears its cookie. Other sign-ins stay.
     * @returns undefined when there is none, it has expired or was not created here
     */
    async take(
      request: FastifyRequest,
      reply: FastifyReply,
      path: string,
      state: string,
    ): Promise<Pending | undefined> {
      const cookieName = pendingCookieName(state);
      const value = request.cookies[cookieName];
      if (value === undefined) return undefined;
      reply.clearCookie(cookieName, { ...attributes, path });
      try {
        const { payload } = await jwtVerify(value, key, { algorithms: ['HS256'], typ: 'pending-sign-in' });
        const pending = pendingSchema.parse(payload);
        return pending.state === state ? pending : undefined;
      } catch {
        return undefined;
      }
    },

    /** Whether this browser waits for a provider's answer. */
    isWaiting(request: FastifyRequest): boolean {
      return Object.keys(request.cookies).some((name) => name.startsWith(prefix));
    },
  };
}

export function pendingCookieName(state: string): string {
  return prefix + nameOf(state);
}

/** A state comes from outside: its hash is always a valid name. */
function nameOf(state: string): string {
  return sha256(state).slice(0, 16);
}
