import type { Socket } from 'node:net';
import { createAddressGuard } from './address-guard.ts';
import { portOf } from './allowed-addresses.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { openByProxy, openDirectly, type SocketTarget } from './open-socket.ts';
import type { AllowEntry } from './limited-entry.ts';
import { direct, type Outgoing } from './outgoing.ts';

/** A proxy is used even if the resolver takes longer than this. */
const resolveTimeoutMs = 2000;

export type GuardedConnectorOptions = {
  allowAddresses: readonly AllowEntry[];
  /** Allows plain connections only to addresses that `allowAddresses` names. */
  publicNeedsTls?: boolean | undefined;
  /** For TCP and TLS together. */
  connectTimeoutMs: number;
  /** By default, connections are direct. */
  outgoing?: Outgoing | undefined;
  watch?: ConnectionWatch | undefined;
};

/**
 * Opens sockets to addresses from outside, TLS included: to public unicast addresses, and to those that `allowAddresses`
 * names (host:port or CIDR), which never go through a proxy. A name is resolved and checked before a proxy gets it.
 * @returns a function that throws RefusedAddressError for any other address, ProxyError, and Node's errors
 */
export function createGuardedConnector(options: GuardedConnectorOptions): (target: SocketTarget) => Promise<Socket> {
  const { outgoing = direct, connectTimeoutMs: timeoutMs, watch } = options;
  const guard = createAddressGuard(options.allowAddresses, { ...options, resolve: outgoing.resolve });
  return async (target) => {
    const to = { host: target.hostname, port: portOf(target), tls: target.protocol === 'https:' };
    guard.checkLiteral(to);
    const proxy = outgoing.proxyFor(to);
    const way = proxy && (await guard.checkForProxy(to, Math.min(resolveTimeoutMs, timeoutMs)));
    return proxy && way === 'proxy'
      ? openByProxy(proxy, target, { timeoutMs, watch })
      : openDirectly(target, { timeoutMs, lookup: guard.lookupFor(to), watch });
  };
}
