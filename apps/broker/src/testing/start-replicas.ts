import { randomBytes } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Database } from '#platform/db/database.ts';
import { freePort } from './network/free-port.ts';
import { listenLocally } from './servers/listen-locally.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './start-app.ts';

export type Replicas = {
  /** Address of both: requests alternate between the brokers. */
  publicUrl: string;
  /** Returns the header with which a test chooses the broker of a request: one of these, or another one by its port. */
  at(broker: number): { 'x-broker': string };
  apps: [TestApp, TestApp];
  /** Stops a broker and starts another one in its place. */
  restart(broker: 0 | 1): Promise<void>;
  stop(): Promise<void>;
};

/** Starts two brokers behind one address, on one database. `open` returns a separate connection for each start. */
export async function startReplicas(
  open: () => Promise<Database>,
  { env, ...options }: Omit<TestAppOptions, 'db'> = {},
): Promise<Replicas> {
  const ports = await Promise.all([freePort(), freePort()]);
  const { publicUrl, close } = await startBalancer(ports);
  const masterKey = randomBytes(32).toString('base64url');
  const start = async (broker: 0 | 1) =>
    startTestApp({
      ...options,
      db: await open(),
      env: { PUBLIC_URL: publicUrl, MASTER_KEY: masterKey, ...env, PORT: String(ports[broker]) },
    });
  const apps: [TestApp, TestApp] = [await start(0), await start(1)];
  return {
    publicUrl,
    at: (broker) => ({ 'x-broker': String(broker) }),
    apps,
    async restart(broker) {
      await apps[broker].stop();
      apps[broker] = await start(broker);
    },
    async stop() {
      await Promise.all(apps.map((app) => app.stop()));
      await close();
    },
  };
}

/**
 * Starts one address for several brokers of this machine. Each request goes to the next one; the header x-broker
 * chooses one, by its index or its port.
 */
export async function startBalancer(
  ports: readonly number[],
): Promise<{ publicUrl: string; close(): Promise<unknown> }> {
  let turn = 0;
  const balancer = createServer((incoming, outgoing) => {
    const chosen = incoming.headers['x-broker'];
    turn += 1;
    const broker = typeof chosen === 'string' ? Number(chosen) : turn % ports.length;
    forward(incoming, outgoing, ports[broker] ?? broker);
  });
  const { port, close } = await listenLocally(balancer);
  return { publicUrl: `http://127.0.0.1:${port}`, close };
}

/** Forwards a request and its response unchanged. If either side ends, so does the other. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number | undefined): void {
  const { method, url: path, headers } = incoming;
  const forwarded = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  });
  forwarded.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
  outgoing.on('close', () => forwarded.destroy());
  incoming.pipe(forwarded);
}
