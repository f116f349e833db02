import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Socket } from 'node:net';
import type { ProxyServer } from '../../config/outgoing-proxy.ts';
import { codeOf } from '../../thrown.ts';
import { bareHost, portOf } from './allowed-addresses.ts';

/** The outgoing proxy opened no tunnel, so nothing was sent to the destination. The message contains no credentials. */
export class ProxyError extends Error {
  override name = 'ProxyError';
  readonly code = 'PROXY_ERROR';
}

/**
 * Opens a socket to `place` (host:port) through a proxy, by CONNECT (RFC 9110, section 9.3.6). The caller starts TLS, so that
 * the proxy only sees the destination's name.
 * @throws ProxyError
 */
export function openTunnel({ url, authorization }: ProxyServer, place: string, timeoutMs: number): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const asked = (protocol === 'https:' ? requestTls : requestPlain)({
    host: bareHost(hostname),
    port: portOf({ protocol, port }),
    method: 'CONNECT',
    path: place,
    headers: { host: place, ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
    agent: false,
  });
  const timer = setTimeout(() => asked.destroy(new Error('no answer in time')), timeoutMs);
  asked.once('connect', ({ statusCode = 0 }, socket, head) => {
    clearTimeout(timer);
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
      return;
    }
    // late errors without a listener would end the process
    socket.on('error', () => {}).destroy();
    const why = statusCode === 407 ? 'requires other credentials' : `refuses a tunnel to ${place}`;
    reject(new ProxyError(`the proxy ${url} ${why} (HTTP ${statusCode})`));
  });
  asked.on('error', (error) => {
    clearTimeout(timer);
    // a name with several addresses fails without a message
    const reason = error.message || (codeOf(error) ?? error.name);
    reject(new ProxyError(`the proxy ${url} cannot be used: ${reason}`, { cause: error }));
  });
  asked.end();
  return promise;
}
