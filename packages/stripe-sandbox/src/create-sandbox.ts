import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createApi } from './api/serve-api.ts';
import { allRoutes } from './endpoints/routes.ts';
import { houseEveryMs, keepHouse } from './housekeeping.ts';
import { createIds, randomText, type Random } from './objects/ids.ts';
import { createPages } from './pages/serve-pages.ts';
import { createRunWork, type RunWork } from './run-work.ts';
import { serveRequest } from './serve-request.ts';
import { deliveryTime, realTime, type Storage } from './storage/storage.ts';
import { advanceTime } from './time/advance-time.ts';
import { createDeliverer, retryAfterMs, type Interference } from './webhooks/deliver.ts';
import { ownEndpointId, saveOwnEndpoint } from './webhooks/own-endpoint.ts';

/** How often to look for what is due in real time: sessions that expire, subscriptions that renew. */
const tickMs = 30_000;

export type SandboxLog = { info(facts: object, text: string): void; error(facts: object, text: string): void };

export type SandboxOptions = {
  storage: Storage;
  /** Epoch milliseconds. */
  clock: { now(): number };
  log: SandboxLog;
  /** Origin at which a browser reaches /dev-stripe/*. */
  publicUrl: string;
  /** Where the pages of invoices and receipts lead back to; by default `publicUrl`. */
  returnUrl?: string;
  /** The one key that requests may have. Must begin with sk_test_sandbox_. */
  apiKey: string;
  /** Where webhooks go, beside the endpoints that are made by the API. */
  webhook?: {
    url: string;
    /** Must begin with whsec_. */
    secret: string;
    /** Types of events; by default all. */
    events?: readonly string[];
    /** Where to connect, where the name in the URL leads elsewhere. */
    connectTo?: { host: string; port: number };
  };
  /** The port on loopback; by default any free one. */
  port?: number;
  random?: Random;
  /** How long after each failed attempt a webhook is sent again; tests wait less. */
  retryAfterMs?: readonly number[];
};

export type StripeSandbox = {
  /** For the SDK: `new Stripe(apiKey, { host, port, protocol: 'http' })`. */
  readonly host: string;
  readonly port: number;
  /** Everything is done and closed. What was queued is sent after the next start. */
  stop(): Promise<void>;
};

/** What tests reach beside the API. */
export type SandboxInside = { run: RunWork; interference: Interference; wake(): void };

/** Starts a stand-in for Stripe that listens on a port of this machine alone. */
export async function createStripeSandbox(options: SandboxOptions): Promise<StripeSandbox> {
  return (await startSandbox(options)).sandbox;
}

/** Starts a sandbox, and hands out its inside to tests. */
export async function startSandbox(
  options: SandboxOptions,
): Promise<{ sandbox: StripeSandbox; inside: SandboxInside }> {
  const { storage, clock, log, publicUrl, apiKey, webhook, random = randomBytes } = options;
  const { returnUrl = publicUrl } = options;
  if (!apiKey.startsWith('sk_test_sandbox_')) throw new Error('the key of a sandbox begins with sk_test_sandbox_');
  const newId = createIds(random);
  const interference: Interference = {
    beforeWork: () => {},
    beforeAnswer: () => {},
    failAt: () => undefined,
    mayPass: () => true,
    order: (items) => items,
    copies: 1,
    skewMs: 0,
    locksObjects: false,
  };
  const now = () => clock.now() + interference.skewMs;
  const run = createRunWork({ storage, now, newId, publicUrl, onEvents: () => deliverer.wake() });
  const onError = (error: unknown) => log.error({ err: error }, 'the stand-in for Stripe failed');
  const deliverer = createDeliverer({
    run,
    now,
    interference,
    onError,
    nextDueMs: () => storage.transaction('read', (rows) => rows.nextDueMs(deliveryTime)),
    retryAfterMs: options.retryAfterMs ?? retryAfterMs,
    connectTo: (endpoint) => (endpoint === ownEndpointId ? webhook?.connectTo : undefined),
  });

  await run('write', (work) => saveOwnEndpoint(work, webhook));
  let full = await keepHouse(storage, now());
  const routes = allRoutes(() => `whsec_${randomText(random, 32)}`);
  const api = createApi({
    apiKey,
    routes,
    run,
    isFull: () => full,
    failAt: (method, path) => interference.failAt(method, path),
    beforeWork: (method, path) => interference.beforeWork(method, path),
    locksObjects: () => interference.locksObjects,
  });
  const pages = createPages({ run, publicUrl, returnUrl });
  const parts = {
    api,
    pages,
    requestId: () => newId('request'),
    beforeAnswer: (method: string, path: string) => interference.beforeAnswer(method, path),
    onError,
  };
  const serving = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const served = serveRequest(request, response, parts).finally(() => serving.delete(served));
    serving.add(served);
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.maxConnections = 256;
  const host = '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });

  const tick = () => run('write', (work) => advanceTime(work, realTime, work.nowMs)).then(() => undefined, onError);
  const house = async () => {
    full = await keepHouse(storage, now());
  };
  let ticking = tick();
  const timers = [
    setInterval(() => (ticking = tick()), tickMs).unref(),
    setInterval(() => (ticking = ticking.then(house).catch(onError)), houseEveryMs).unref(),
  ];
  deliverer.wake();

  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  log.info({ port }, 'the stand-in for Stripe started: no money moves');
  return {
    inside: { run, interference, wake: () => deliverer.wake() },
    sandbox: {
      host,
      port,
      async stop() {
        for (const timer of timers) clearInterval(timer);
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await Promise.all(serving);
        await deliverer.stop();
        await ticking;
      },
    },
  };
}
