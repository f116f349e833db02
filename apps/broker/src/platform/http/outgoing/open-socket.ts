import type { LookupFunction, Socket } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { ProxyServer } from '../../config/outgoing-proxy.ts';
import { bareHost, portOf } from './allowed-addresses.ts';
import type { ConnectionWatch, TlsFacts } from './connection-watch.ts';
import { openTunnel } from './open-tunnel.ts';

/** A socket's target, as undici describes it: `protocol` is https: for TLS. */
export type SocketTarget = buildConnector.Options;

type OpenOptions = { timeoutMs: number; lookup?: LookupFunction; watch?: ConnectionWatch | undefined };

/** Opens a socket to `target`, TLS included. @param options.timeoutMs for TCP and TLS together @throws errors of Node or undici */
export async function openDirectly(target: SocketTarget, options: OpenOptions): Promise<Socket> {
  const { watch } = options;
  if (watch?.connected) return openWatched(target, options, watch);
  const socket = await open(target, options);
  if (watch && socket instanceof TLSSocket) watch.secured(factsOf(socket));
  return socket;
}

function open(target: SocketTarget, { timeoutMs, lookup }: OpenOptions): Promise<Socket> {
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

/** Opens TCP first, and TLS over it, so that it is known which of them failed. */
async function openWatched(target: SocketTarget, options: OpenOptions, watch: ConnectionWatch): Promise<Socket> {
  const startedAt = performance.now();
  const plain = await open({ ...target, protocol: 'http:', port: String(portOf(target)) }, options);
  watch.connected?.({ address: plain.remoteAddress ?? target.hostname, proxy: undefined });
  if (target.protocol !== 'https:') return plain;
  const leftMs = Math.max(1, options.timeoutMs - (performance.now() - startedAt));
  return secure({ ...target, httpSocket: plain }, leftMs, watch);
}

/**
 * Opens a socket to `target` through a proxy, TLS included. Plain http uses a tunnel too, so that the proxy changes no header.
 * @param options.timeoutMs for the tunnel, and again for TLS in it
 * @throws ProxyError, errors of TLS
 */
export async function openByProxy(
  proxy: ProxyServer,
  target: SocketTarget,
  { timeoutMs, watch }: Omit<OpenOptions, 'lookup'>,
): Promise<Socket> {
  const host = target.hostname.includes(':') ? `[${bareHost(target.hostname)}]` : target.hostname;
  const place = `${host}:${portOf(target)}`;
  const socket = await openTunnel(proxy, place, timeoutMs);
  watch?.connected?.({ address: place, proxy: proxy.url });
  if (target.protocol === 'https:') return secure({ ...target, httpSocket: socket }, timeoutMs, watch);
  return socket.setNoDelay(true).setKeepAlive(true, 60_000);
}

/** Starts TLS over an open socket, which is destroyed if that fails. */
async function secure(
  target: SocketTarget & { httpSocket: Socket },
  timeoutMs: number,
  watch: ConnectionWatch | undefined,
): Promise<Socket> {
  try {
    const socket = await open(target, { timeoutMs });
    if (socket instanceof TLSSocket) watch?.secured(factsOf(socket));
    return socket;
  } catch (error) {
    target.httpSocket.destroy();
    throw error;
  }
}

function factsOf(socket: TLSSocket): TlsFacts {
  // without a certificate Node returns an empty object, contrary to its types
  const { issuer, valid_to: validUntil }: Partial<PeerCertificate> = socket.getPeerCertificate();
  const [name] = [issuer?.O ?? issuer?.CN].flat();
  return { protocol: socket.getProtocol() ?? 'TLS', issuer: name, validUntil };
}

/** Adapts a function that opens sockets for undici's dispatchers. */
export function asConnector(open: (target: SocketTarget) => Promise<Socket>): buildConnector.connector {
  const connect = callbackify(open);
  return (target, callback) =>
    connect(target, (error, socket) => (error ? callback(error, null) : callback(null, socket)));
}
