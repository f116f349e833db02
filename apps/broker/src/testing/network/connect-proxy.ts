import { createServer, request as sendOn, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { testCertificate, testCertificateKey } from '../servers/client-example-tls.ts';
import { listenLocally } from '../servers/listen-locally.ts';

export type ConnectProxy = {
  /** Origin, without credentials. */
  url: string;
  host: string;
  /** Ports of this machine by host:port; other places are refused with 403. */
  places: Map<string, number>;
  /** Requests in order: `host:port`, or the address of a plain request. */
  asked: string[];
  close(): Promise<void>;
};

/** Starts an outgoing proxy: tunnels by CONNECT, and forwards plain requests. */
export async function startConnectProxy(credentials?: string): Promise<ConnectProxy> {
  const places: ConnectProxy['places'] = new Map();
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const url = URL.parse(request.url ?? '');
    const port = places.get(url?.host ?? '');
    if (!url || port === undefined) return response.writeHead(403).end();
    const { method, headers } = request;
    const onward = sendOn({ port, path: url.pathname + url.search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    return request.pipe(onward);
  });
  server.on('connect', (request, near, head) => {
    const place = request.url ?? '';
    const port = places.get(place);
    asked.push(place);
    near.on('error', () => near.destroy());
    if (wanted !== undefined && request.headers['proxy-authorization'] !== wanted) {
      near.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    if (port === undefined) {
      near.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const far = connect(port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) far.write(head);
      join(near, far);
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    far.on('error', () => near.destroy());
  });
  const { port, close } = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    places,
    asked,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await close();
    },
  };
}

/** Starts https://client.example in front of a plain server of this machine: WebSocket and event streams pass. */
export async function startTlsFront(plainPort: number): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createTlsServer({ cert: testCertificate, key: testCertificateKey }, (near) => {
    const far = connect(plainPort, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
    }
    join(near, far);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the front has no port');
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function join(near: Duplex, far: Socket): void {
  near.pipe(far).pipe(near);
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
}

/** Makes this process trust the certificate of client.example. @returns a function that undoes it */
export function trustTestCertificate(): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, testCertificate]);
  return () => setDefaultCACertificates(before);
}
