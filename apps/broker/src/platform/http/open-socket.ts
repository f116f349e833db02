import type { LookupFunction, Socket } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { ProxyServer } from '../config/outgoing-proxy.ts';
import { bareHost, portOf } from './allowed-addresses.ts';
import { openTunnel } from './open-tunnel.ts';

/** Where a socket goes, as undici describes it: `protocol` is https: where it speaks TLS, the host's name included. */
export type SocketTarget = buildConnector.Options;

/** A socket to `target`, TLS included. @throws what Node or undici failed with */
export function openDirectly(
  target: SocketTarget,
  { timeoutMs, lookup }: { timeoutMs: number; lookup?: LookupFunction },
): Promise<Socket> {
  const connect = buildConnector({
    allowH2: false,
    timeout: timeoutMs,
    keepAlive: true,
    ...(lookup !== undefined && { lookup }),
  });
  return new Promise((resolve, reject) => {
    connect(target, (error, socket) => {
      if (error) reject(error);
      else resolve(socket);
    });
  });
}

/**
 * A socket to `target` through a proxy, TLS included. Plain http takes a tunnel too: the proxy then changes no header, and
 * one way serves every protocol.
 * @param timeoutMs for the tunnel, and again for TLS in it
 * @throws ProxyError; what TLS failed with
 */
export async function openByProxy(proxy: ProxyServer, target: SocketTarget, timeoutMs: number): Promise<Socket> {
  const host = target.hostname.includes(':') ? `[${bareHost(target.hostname)}]` : target.hostname;
  const socket = await openTunnel(proxy, `${host}:${portOf(target)}`, timeoutMs);
  if (target.protocol === 'https:') return openDirectly({ ...target, httpSocket: socket }, { timeoutMs });
  return socket.setNoDelay(true).setKeepAlive(true, 60_000);
}

/** A function that opens sockets, as undici's dispatchers take one. */
export function asConnector(open: (target: SocketTarget) => Promise<Socket>): buildConnector.connector {
  const connect = callbackify(open);
  return (target, callback) =>
    connect(target, (error, socket) => (error ? callback(error, null) : callback(null, socket)));
}
