import { createServer } from 'node:http';
import { createApi } from './api/serve-api.ts';
import { allRoutes } from './endpoints/routes.ts';
import { housekeepingEveryMs, runHousekeeping } from './housekeeping.ts';
import { noInterference, type Interference } from './interference.ts';
import { randomText } from './objects/ids.ts';
import { createPages } from './pages/serve-pages.ts';
import { createRunWork, type RunWork } from './run-work.ts';
import { serveRequest, type ServedParts } from './serve-request.ts';
import { deliveryTime, realTime, type Storage } from './storage/storage.ts';
import { advanceTime } from './time/advance-time.ts';
import { createDeliverer, retryAfterMs } from './webhooks/deliver.ts';
import { ownEndpointId, saveOwnEndpoint } from './webhooks/own-endpoint.ts';

/** Interval of the checks for what is due in real time: sessions that expire, subscriptions that renew. */
const tickMs = 30_000;
const host = '127.0.0.1';

export type SandboxLog = { info(facts: object, text: string): void; error(facts: object, text: string): void };

export type SandboxOptions = {
  storage: Storage;
  /** Epoch milliseconds. */
  clock: { now(): number };
  log: SandboxLog;
  /** Origin at which a browser reaches /dev-stripe/*. */
  publicUrl: string;
  /** Address that invoice and receipt pages link back to; default: `publicUrl`. */
  returnUrl?: string;
  /** Accepted API key. Must begin with sk_test_sandbox_. */
  apiKey: string;
  /** Webhook endpoint in addition to those created through the API. */
  webhook?: {
    url: string;
    /** Must begin with whsec_. */
    secret: string;
    /** Event types; default: all. */
    events?: readonly string[];
    /** Address to connect to, if the name in the URL leads elsewhere. */
    connectTo?: { host: string; port: number };
  };
  /** Port on loopback; default: any free one. */
  port?: number;
  /** Delays after each failed webhook attempt; shorter in tests. */
  retryAfterMs?: readonly number[];
};

export type StripeSandbox = {
  /** Used by the SDK: `new Stripe(apiKey, { host, port, protocol: 'http' })`. */
  readonly host: string;
  readonly port: number;
  /** Finishes all work and closes. Queued webhooks are sent after the next start. */
  stop(): Promise<void>;
};

/** Internals that tests control in addition to the API. */
export type SandboxInside = { run: RunWork; interference: Interference; wake(): void };

/** Starts a stand-in for Stripe that listens on a loopback port. */
export async function createStripeSandbox(options: SandboxOptions): Promise<StripeSandbox> {
  return (await startSandbox(options)).sandbox;
}

/** Starts a sandbox, and returns its internals for tests. */
export async function startSandbox(
  options: SandboxOptions,
): Promise<{ sandbox: StripeSandbox; inside: SandboxInside }> {
  const { storage, clock, log, publicUrl, returnUrl = publicUrl, apiKey, webhook } = options;
  if (!apiKey.startsWith('sk_test_sandbox_'))
    throw new Error('the API key of a sandbox must begin with sk_test_sandbox_');
  const interference = noInterference();
  const now = () => clock.now() + interference.skewMs;
  const run = createRunWork({ storage, now, publicUrl, onEvents: () => deliverer.wake() });
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
  let full = await runHousekeeping(storage, now());
  const routes = allRoutes(() => `whsec_${randomText(32)}`);
  const api = createApi({ apiKey, routes, run, isFull: () => full, interference });
  const pages = createPages({ run, publicUrl, returnUrl });
  const listener = await listen({ api, pages, interference, onError }, options.port);

  const tick = () => run('write', (work) => advanceTime(work, realTime, work.nowMs)).then(() => undefined, onError);
  const housekeep = async () => {
    full = await runHousekeeping(storage, now());
  };
  let ticking = tick();
  const timers = [
    setInterval(() => (ticking = tick()), tickMs).unref(),
    setInterval(() => (ticking = ticking.then(housekeep).catch(onError)), housekeepingEveryMs).unref(),
  ];
  deliverer.wake();

  const { port } = listener;
  log.info({ port }, 'the stand-in for Stripe started: no money moves');
  return {
    inside: { run, interference, wake: () => deliverer.wake() },
    sandbox: {
      host,
      port,
      async stop() {
        for (const timer of timers) clearInterval(timer);
        await listener.stop();
        await deliverer.stop();
        await ticking;
      },
    },
  };
}

async function listen(parts: ServedParts, wantedPort = 0): Promise<{ port: number; stop(): Promise<void> }> {
  const serving = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const served = serveRequest(request, response, parts).finally(() => serving.delete(served));
    serving.add(served);
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.maxConnections = 256;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wantedPort, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(serving);
    },
  };
}
