import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { DatabaseLostError, isDatabaseLost } from '#platform/db/database-errors.ts';
import { renderError, retryAfterSeconds } from '#platform/http/answers/error-body.ts';

/**
 * Answers 503, in OAuth's words alongside ours, when the database is unreachable or full. oidc-provider itself would
 * answer 500 `server_error`, or `invalid_client` when it cannot find a client. A page only gets the status.
 */
export function answerUnavailable(provider: Provider): void {
  provider.on('server_error', (ctx, error) => {
    if (isDatabaseLost(error) && ctx.status === 500) answer(ctx, error);
  });
  // a client whose metadata document cannot be read: some clients drop their tokens at invalid_client
  const answerIfLost = (ctx: KoaContextWithOIDC, error: Error) => {
    const lost = lostDatabaseOf(error);
    if (lost) answer(ctx, lost);
  };
  provider.on('authorization.error', answerIfLost);
  provider.on('grant.error', answerIfLost);
  provider.on('revocation.error', answerIfLost);
}

function answer(ctx: KoaContextWithOIDC, error: unknown): void {
  const { status, body } = renderError(error, '');
  ctx.status = status;
  ctx.set('retry-after', String(retryAfterSeconds));
  if (ctx.type === 'text/html') return;
  ctx.body = { ...body, error: 'temporarily_unavailable', error_description: body.message };
}

/**
 * Whether an error of oidc-provider means that the database is unreachable. An unexpected error may be of any kind;
 * others must say so themselves, since a client's document fails with network errors of its own.
 * @param code OAuth's code in the answer
 */
export function isOfLostDatabase(code: string, error: unknown): boolean {
  return code === 'server_error' ? isDatabaseLost(error) : lostDatabaseOf(error) !== undefined;
}

function lostDatabaseOf(error: unknown): DatabaseLostError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof DatabaseLostError) return at;
  return undefined;
}
