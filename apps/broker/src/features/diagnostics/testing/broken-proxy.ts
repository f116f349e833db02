import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Agent, buildConnector } from 'undici';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { testCertificate, testCertificateKey } from '#testing/servers/client-example-tls.ts';

/** Faults of a proxy in front of an installation; without any, it is a correct proxy. */
export type ProxyFault = {
  /** Changes the request's headers on their way in. */
  inward?: (headers: IncomingHttpHeaders) => void;
  /** Changes the answer's headers on their way out. */
  outward?: (headers: IncomingHttpHeaders) => void;
  /** Answers instead of forwarding; true when it did. */
  instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Keeps an answer until it has ended. */
  buffers?: boolean;
};

export type BrokenProxy = {
  /** http(s)://localhost:port */
  readonly url: string;
  /** Port of the broker, which receives the requests. Known only after the broker has started with our address. */
  targetPort: number;
  fault: ProxyFault;
  close(): Promise<void>;
};

/** Starts a small reverse proxy that can have the faults of real ones. With `tls` it terminates TLS. */
export async function startBrokenProxy(options: { tls?: boolean } = {}): Promise<BrokenProxy> {
  const handle = (incoming: IncomingMessage, response: ServerResponse) => pass(proxy, incoming, response);
  const server = options.tls
    ? createTlsServer({ cert: testCertificate, key: testCertificateKey }, handle)
    : createServer(handle);
  const { port, close } = await listenLocally(server);
  const proxy: BrokenProxy = {
    url: `${options.tls ? 'https' : 'http'}://localhost:${port}`,
    targetPort: 0,
    fault: {},
    close,
  };
  return proxy;
}

/** Trusts the certificate of a proxy with `tls`, which is for another name. */
export function createTrustingDispatcher(): Agent {
  return new Agent({ connect: buildConnector({ ca: testCertificate, servername: 'client.example' }) });
}

function pass({ fault, targetPort }: BrokenProxy, incoming: IncomingMessage, response: ServerResponse): void {
  if (fault.instead?.(incoming, response)) return;
  const headers = { ...incoming.headers };
  fault.inward?.(headers);
  const outgoing = request(
    { host: '127.0.0.1', port: targetPort, method: incoming.method, path: incoming.url, headers },
    (answer) => {
      const answered = { ...answer.headers };
      fault.outward?.(answered);
      const chunks: Buffer[] = [];
      if (!fault.buffers) response.writeHead(answer.statusCode ?? 502, answered).flushHeaders();
      answer.on('data', (chunk: Buffer) => (fault.buffers ? chunks.push(chunk) : response.write(chunk)));
      answer.on('end', () => {
        if (fault.buffers) response.writeHead(answer.statusCode ?? 502, answered);
        response.end(Buffer.concat(chunks));
      });
      answer.on('error', () => response.destroy());
    },
  );
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
