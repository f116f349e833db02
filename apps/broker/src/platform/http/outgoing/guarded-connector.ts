import type { Socket } from 'node:net';
import { createAddressGuard } from './address-guard.ts';
import { portOf } from './allowed-addresses.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { openByProxy, openDirectly, type SocketTarget } from './open-socket.ts';
import type { AllowEntry } from './limited-entry.ts';
import { direct, type Outgoing } from './outgoing.ts';

/** A resolver that takes longer does not keep a proxy from being asked. */
const resolveTimeoutMs = 2000;

export type GuardedConnectorOptions = {
  allowAddresses: readonly AllowEntry[];
  /** Plain connections only go to addresses that `allowAddresses` names. */
  publicNeedsTls?: boolean | undefined;
  /** TCP and TLS together. */
  connectTimeoutMs: number;
  /** By default directly. */
  outgoing?: Outgoing | undefined;
  /** Is told how each connection comes about. */
  watch?: ConnectionWatch | undefined;
};

/**
 * Opens sockets to addresses from outside, TLS included: to public unicast addresses, and to those that `allowAddresses`
 * names (host:port or CIDR), which are never asked of a proxy. A name is resolved and checked before a proxy gets it.
 * @returns a function that throws RefusedAddressError for any other address, ProxyError, and what Node failed with
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
