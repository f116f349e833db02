import type { GatewayEvents } from '#features/gateway/index.ts';
import type { Log } from '#platform/log.ts';
import { createSampledLog } from '#platform/sampled-log.ts';

/**
 * Adds a line in the log for each request that an MCP endpoint refused; in a flood for some of them. A request without a
 * token is none: every client begins with one.
 */
export function logRefusals(events: GatewayEvents, log: Log): GatewayEvents & { stop(): void } {
  const refusals = createSampledLog(log, 'more requests were refused');
  const refused = (code: string, details: object) => refusals.info({ code, ...details }, 'request refused');
  return {
    ...events,
    requestTurnedAway(request, code) {
      refused(code, { address: request.address });
      events.requestTurnedAway(request, code);
    },
    requestChallenged(request) {
      if (request.headers.authorization !== undefined) refused('invalid_token', { address: request.address });
      events.requestChallenged(request);
    },
    scopeLacking(request, method, missing) {
      refused('insufficient_scope', { client: request.caller.clientId, method, missing });
      events.scopeLacking(request, method, missing);
    },
    requestServed(request, status) {
      if (status === 429) refused('rate_limited', { client: request.caller.clientId });
      events.requestServed(request, status);
    },
    stop: refusals.stop,
  };
}
