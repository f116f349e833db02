import { lookup } from 'node:dns';
import { isLoopbackName } from './local-name.ts';
import { boundLookups, lookupSlots, type ResolveName } from './name-lookups.ts';
import type { OutgoingProxy, ProxyServer } from '../../config/outgoing-proxy.ts';
import { readNoProxy } from './no-proxy.ts';

/** Where a connection goes: the host as it stands in the URL (brackets allowed), and whether it will use TLS. */
export type Destination = { host: string; port: number; tls: boolean };

/** How requests leave this machine. */
export type Outgoing = {
  resolve: ResolveName;
  /** The proxy on the way to a destination; undefined where it is reached directly, as this machine itself always is. */
  proxyFor(to: Destination): ProxyServer | undefined;
};

/** @param resolve stands in for the resolver in tests, which have no names of their own */
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

/** Of this machine: threads for look-ups are the process's. */
const fromOutside = boundLookups(resolveAll, lookupSlots());

/** This machine's own names need no turn: nobody but its operator decides about them. */
const systemResolver: ResolveName = (name, options, callback) =>
  (isLoopbackName(name) ? resolveAll : fromOutside)(name, options, callback);

/** No proxy, and the names of this machine's resolver. */
export const direct: Outgoing = createOutgoing(undefined);
