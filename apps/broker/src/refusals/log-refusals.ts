import type { GatewayEvents } from '#features/gateway/index.ts';
import type { Refusals } from './refusals.ts';

/** Logs each request that an MCP endpoint refused, except those without a token, since every client begins with one. */
export function logRefusals(events: GatewayEvents, refusals: Pick<Refusals, 'note'>): GatewayEvents {
  const refused = (code: string, details: object) => refusals.note('mcp', { code, ...details });
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
  };
}
