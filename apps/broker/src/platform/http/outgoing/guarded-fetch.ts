import type { Agent } from 'undici';
import { OutgoingAgent } from './outgoing-agent.ts';
import { createGuardedConnector, type GuardedConnectorOptions } from './guarded-connector.ts';
import { asConnector } from './open-socket.ts';

/**
 * An undici dispatcher for addresses from outside (manifests, metadata documents): connects to public unicast addresses
 * only, and to those that `allowAddresses` names (host:port or CIDR). Its users must not follow redirects.
 * A refused address is a RefusedAddressError, or the `cause` of what fetch throws.
 *
 * @param options.connectTimeoutMs TCP and TLS together, 5 s by default
 * @param options.connections sockets per origin at most
 */
export function createGuardedDispatcher(
  options: Omit<GuardedConnectorOptions, 'connectTimeoutMs'> & { connectTimeoutMs?: number; connections?: number },
): Agent {
  const { connectTimeoutMs = 5000, connections = 128 } = options;
  return new OutgoingAgent({
    connections,
    // the caller sets deadlines: an MCP answer may take minutes, and a stream of changes stays open for days
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    connect: asConnector(createGuardedConnector({ ...options, connectTimeoutMs })),
  });
}
