import { Agent, buildConnector } from 'undici';
import { createAddressGuard } from './address-guard.ts';

/**
 * An undici dispatcher for addresses from outside (manifests, metadata documents): connects to public unicast addresses
 * only, unless the exact host:port is in `allowAddresses`. Its users must not follow redirects.
 * A refused address is a RefusedAddressError, or the `cause` of what fetch throws.
 *
 * @param options.connectTimeoutMs TCP and TLS together
 * @param options.connections sockets per origin at most
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
    // the caller sets deadlines: an MCP answer may take minutes, and a stream of changes stays open for days
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
