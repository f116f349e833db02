import { Agent, buildConnector } from 'undici';
import { createAddressGuard } from './address-guard.ts';

/**
 * An undici dispatcher for addresses that somebody else chose (manifests, metadata documents): connects to public
 * unicast only, unless the exact host:port stands in `allowAddresses`. Whoever uses it must not follow redirects.
 * The failure is a RefusedAddressError, as itself or as the `cause` of what fetch throws.
 *
 * @param options.connectTimeoutMs TCP and TLS together
 * @param options.connections at most so many sockets per origin
 */
export function createGuardedDispatcher(options: {
  allowAddresses: readonly string[];
  connectTimeoutMs?: number;
  connections?: number;
}): Agent {
  const guard = createAddressGuard(options.allowAddresses);
  const timeout = options.connectTimeoutMs ?? 5000;
  return new Agent({
    connections: options.connections ?? 128,
    // the caller has the deadlines: an MCP answer may take minutes and a change stream stays open for days
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    connect(target, callback) {
      const port = target.port ? Number(target.port) : target.protocol === 'https:' ? 443 : 80;
      try {
        guard.checkLiteral(target.hostname, port);
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)), null);
        return;
      }
      const lookup = guard.lookupFor(target.hostname, port);
      buildConnector({ allowH2: false, timeout, lookup, keepAlive: true })(target, callback);
    },
  });
}
