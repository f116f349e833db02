import type { IncomingHttpHeaders } from 'node:http';

/** Counts requests that a proxy forwarded while TRUST_PROXY is empty: limits and the audit log see the proxy's address. */
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
