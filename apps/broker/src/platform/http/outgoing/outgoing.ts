import { lookup } from 'node:dns';
import { isLoopbackName } from './local-name.ts';
import { boundLookups, lookupSlots, type ResolveName } from './name-lookups.ts';
import type { OutgoingProxy, ProxyServer } from '../../config/outgoing-proxy.ts';
import { readNoProxy } from './no-proxy.ts';

/** The target of a connection: the host as in the URL (brackets allowed), and whether it will use TLS. */
export type Destination = { host: string; port: number; tls: boolean };

/** How requests leave this machine. */
export type Outgoing = {
  resolve: ResolveName;
  /** Returns the proxy for a destination; undefined if it is reached directly, as this machine itself always is. */
  proxyFor(to: Destination): ProxyServer | undefined;
};

/** @param resolve replaces the resolver in tests */
export function createOutgoing(proxy: OutgoingProxy | undefined, resolve: ResolveName = systemResolver): Outgoing {
  const isExempt = readNoProxy(proxy?.noProxy ?? []);
  return {
    resolve,
    proxyFor({ host, port, tls }) {
      const server = tls ? proxy?.https : proxy?.http;
      return server && !isLoopbackName(host) && !isExempt(host, port) ? server : undefined;
    },
  };
}

const resolveAll: ResolveName = (name, options, callback) => lookup(name, { ...options, all: true }, callback);

/** Shared by the process, because its look-up threads are. */
const fromOutside = boundLookups(resolveAll, lookupSlots());

/** Does not queue this machine's own names, which only its operator controls. */
const systemResolver: ResolveName = (name, options, callback) =>
  (isLoopbackName(name) ? resolveAll : fromOutside)(name, options, callback);

/** Uses no proxy, and this machine's resolver. */
export const direct: Outgoing = createOutgoing(undefined);
