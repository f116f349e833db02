import {
  createPersonalToken,
  getPersonalTokenStats,
  listPersonalTokens,
  revokePersonalToken,
} from '@souk/contract/identity.ts';
import type { ErrorCode } from '@souk/contract/errors.ts';
import type { FastifyInstance } from 'fastify';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { PersonalTokens } from './personal-tokens.ts';

const succeeded = { success: true, error: null } as const;

/** Mounts the four calls of spec part 1, section 7. Every failure has the text that section 8 gives the call. */
export function routePersonalTokens(router: Router, tokens: PersonalTokens): void {
  router.route(createPersonalToken, async ({ caller, body }) => {
    const created = await orFail('pat_create_unavailable', tokens.create(caller.userId, body));
    return { ...succeeded, ...created };
  });
  router.route(listPersonalTokens, async ({ caller }) => ({
    ...succeeded,
    tokens: await orFail('pat_list_failed', tokens.list(caller.userId)),
  }));
  router.route(revokePersonalToken, async ({ caller, params }) => {
    const revoked = await orFail('pat_revoke_unavailable', tokens.revoke(caller.userId, params.id));
    if (!revoked) throw new SoukError('pat_revoke_failed');
    return succeeded;
  });
  router.route(getPersonalTokenStats, async ({ caller }) => ({
    ...succeeded,
    stats: await orFail('pat_stats_failed', tokens.stats(caller.userId)),
  }));
}

/**
 * Repeats the text of these calls' failures as `error` (clarifications, Small questions), the guard's 401 included. It
 * affects routes that are mounted after it, and recognizes these calls by their path.
 */
export function repeatErrorText(app: FastifyInstance): void {
  app.addHook('preSerialization', async (request, _reply, payload: unknown) => {
    if (!request.url.startsWith('/auth/pat/') || typeof payload !== 'object' || payload === null) return payload;
    if (!('success' in payload) || payload.success !== false || !('message' in payload)) return payload;
    return { ...payload, error: payload.message };
  });
}

async function orFail<T>(code: ErrorCode, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    // the account was deleted meanwhile, or has the maximum number of tokens
    if (cause instanceof SoukError && ['unauthenticated', 'pat_too_many'].includes(cause.code)) throw cause;
    throw new SoukError(code, { cause });
  }
}
