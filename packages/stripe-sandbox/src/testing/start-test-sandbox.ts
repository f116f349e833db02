import { createServer } from 'node:http';
import { Stripe } from 'stripe';
import type { SandboxOptions, StripeSandbox } from '../create-sandbox.ts';
import { createControlledSandbox, type ControlPlane } from './index.ts';
import { openTestStorage } from './test-database.ts';

export const testKey = 'sk_test_sandbox_tests';
const testSecret = 'whsec_tests';

export type TestSandbox = StripeSandbox & {
  control: ControlPlane;
  stripe: Stripe;
  origin: string;
  options: SandboxOptions;
  /** Errors that were logged. */
  errors: unknown[];
};

/** Starts a sandbox with an empty storage, and an SDK that uses it. */
export async function startTestSandbox(changes: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const errors: unknown[] = [];
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const options: SandboxOptions = {
    storage: changes.storage ?? (await openTestStorage()),
    clock: { now: () => Date.now() },
    log: { info() {}, error: (facts) => void errors.push(facts) },
    publicUrl: origin,
    apiKey: testKey,
    port,
    retryAfterMs: [20, 20, 20, 20],
    ...changes,
  };
  const sandbox = await createControlledSandbox(options);
  const stripe = new Stripe(testKey, {
    host: sandbox.host,
    port: sandbox.port,
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
  });
  return { ...sandbox, stripe, origin, options, errors };
}

export type Received = { event: Stripe.Event; signature: string };

/** Starts a server that receives webhooks, and verifies each like an application. */
export async function startReceiver() {
  const stripe = new Stripe(testKey);
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const answers: number[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const signature = String(request.headers['stripe-signature']);
      const event = stripe.webhooks.constructEvent(Buffer.concat(chunks), signature, testSecret);
      received.push({ event, signature });
      response.writeHead(answers.shift() ?? 200).end();
      for (const look of waiting) look();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    webhook: { url: `http://127.0.0.1:${port}/webhook`, secret: testSecret },
    received,
    /** Sets the statuses of the next responses; afterwards they are 200. */
    answerNext: (...statuses: number[]) => void answers.push(...statuses),
    types: () => received.map(({ event }) => event.type),
    /** Resolves when `done` accepts the received webhooks. */
    until(done: (received: readonly Received[]) => boolean): Promise<void> {
      return new Promise((resolve) => {
        const look = () => {
          if (!done(received)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Finds a free port, because the sandbox needs the address of its pages before it listens. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
