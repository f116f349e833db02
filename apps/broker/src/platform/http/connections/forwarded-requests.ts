import type { IncomingHttpHeaders } from 'node:http';

/** Requests that a proxy forwarded while TRUST_PROXY names none: their addresses are the proxy's, for limits and the audit log. */
export type ForwardedRequests = { note(headers: IncomingHttpHeaders): void; count(): number };

export function createForwardedRequests(trustProxy: readonly string[]): ForwardedRequests {
  let count = 0;
  return {
    note(headers) {
      if (trustProxy.length === 0 && headers['x-forwarded-for'] !== undefined) count += 1;
    },
    count: () => count,
  };
}
