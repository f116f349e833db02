import { Agent, buildConnector } from 'undici';
import { createAddressGuard } from './address-guard.ts';
import { portOf } from './allowed-addresses.ts';

/**
 * An undici dispatcher for addresses from outside (manifests, metadata documents): connects to public unicast addresses
 * only, and to those that `allowAddresses` names (host:port or CIDR). Its users must not follow redirects.
 * A refused address is a RefusedAddressError, or the `cause` of what fetch throws.
 *
 * @param options.publicNeedsTls plain http only goes to addresses that `allowAddresses` names
 * @param options.connectTimeoutMs TCP and TLS together
 * @param options.connections sockets per origin at most
 */
export function createGuardedDispatcher(options: {
  allowAddresses: readonly string[];
  publicNeedsTls?: boolean | undefined;
  connectTimeoutMs?: number;
  connections?: number;
}): Agent {
  const guard = createAddressGuard(options.allowAddresses, options);
  const timeout = options.connectTimeoutMs ?? 5000;
  return new Agent({
    connections: options.connections ?? 128,
    // the caller sets deadlines: an MCP answer may take minutes, and a stream of changes stays open for days
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    connect(target, callback) {
      const to = { host: target.hostname, port: portOf(target), tls: target.protocol === 'https:' };
      try {
        guard.checkLiteral(to);
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)), null);
        return;
      }
      const lookup = guard.lookupFor(to);
      buildConnector({ allowH2: false, timeout, lookup, keepAlive: true })(target, callback);
    },
  });
}
