import type { Agent } from 'undici';
import { OutgoingAgent } from './outgoing-agent.ts';
import { createGuardedConnector, type GuardedConnectorOptions } from './guarded-connector.ts';
import { asConnector } from './open-socket.ts';

/**
 * An undici dispatcher for addresses from outside (manifests, metadata documents). It connects only to public unicast
 * addresses, and to those that `allowAddresses` names (host:port or CIDR). Callers must not follow redirects.
 * A refused address throws RefusedAddressError, or is the `cause` of what fetch throws.
 * @param options.connectTimeoutMs for TCP and TLS together, 5 s by default
 * @param options.connections maximum number of sockets per origin
 */
export function createGuardedDispatcher(
  options: Omit<GuardedConnectorOptions, 'connectTimeoutMs'> & { connectTimeoutMs?: number; connections?: number },
): Agent {
  const { connectTimeoutMs = 5000, connections = 128 } = options;
  return new OutgoingAgent({
    connections,
    // callers set deadlines: an MCP answer may take minutes, and a stream of changes stays open for days
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    connect: asConnector(createGuardedConnector({ ...options, connectTimeoutMs })),
  });
}
