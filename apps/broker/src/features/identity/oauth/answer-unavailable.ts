import type { Provider } from 'oidc-provider';
import { isDatabaseLost } from '#platform/db/database-errors.ts';
import { renderError } from '#platform/http/error-body.ts';

/** How soon a client may try again: a database that restarts is back within seconds. */
const retryAfterSeconds = 5;

/**
 * oidc-provider answers 500 `server_error` for whatever it did not expect. A database that is away, or full, is a failure
 * that passes: 503 in OAuth's words beside ours, and for pages the status alone.
 */
export function answerUnavailable(provider: Provider): void {
  provider.on('server_error', (ctx, error) => {
    if (!isDatabaseLost(error) || ctx.status !== 500) return;
    const { status, body } = renderError(error, '');
    ctx.status = status;
    ctx.set('retry-after', String(retryAfterSeconds));
    if (ctx.type === 'text/html') return;
    ctx.body = { ...body, error: 'temporarily_unavailable', error_description: body.message };
  });
}
