import type { Interference } from '../interference.ts';
import type { Delivery, SandboxEvent } from '../objects/types.ts';
import type { RunWork } from '../run-work.ts';
import { deliveryTime } from '../storage/storage.ts';
import type { Row, Work } from '../work.ts';
import { sendWebhook } from './send-webhook.ts';
import { signWebhook } from './sign.ts';

const maxConcurrent = 8;
/** Time for which a webhook is claimed by one process; after a crash it is sent again. */
const claimMs = 30_000;
/** Interval of checks for webhooks abandoned by another process. */
const idleMs = 30_000;

export const retryAfterMs: readonly number[] = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000];

export type Deliverer = {
  /** Checks for due webhooks now. */
  wake(): void;
  stop(): Promise<void>;
};

type Claimed = { delivery: Delivery; event: SandboxEvent; url: string; secret: string };

export type DelivererGiven = {
  run: RunWork;
  nextDueMs(): Promise<number | undefined>;
  now(): number;
  retryAfterMs: readonly number[];
  connectTo(endpoint: string): { host: string; port: number } | undefined;
  interference: Interference;
  onError(error: unknown): void;
};

/** Sends queued webhooks until each is answered with 2xx or its attempts are used up. The queue survives restarts. */
export function createDeliverer(given: DelivererGiven): Deliverer {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;

  function wake(): void {
    if (stopping.signal.aborted) return;
    clearTimeout(timer);
    again = true;
    running ??= drain();
  }

  async function drain(): Promise<void> {
    let waitMs = idleMs;
    try {
      do {
        again = false;
        while (!stopping.signal.aborted && (await deliverSome(given, stopping.signal)) > 0);
        const dueMs = await given.nextDueMs();
        waitMs = Math.min(idleMs, Math.max(0, (dueMs ?? Infinity) - given.now()));
        // a wake meanwhile means new webhooks, which dueMs may not include
      } while (again && !stopping.signal.aborted);
    } catch (error) {
      given.onError(error);
    }
    // synchronous with the last check of `again`, so that no wake is lost
    running = undefined;
    if (!stopping.signal.aborted) timer = setTimeout(wake, waitMs).unref();
  }

  return {
    wake,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** @returns the number of due webhooks */
async function deliverSome(given: DelivererGiven, signal: AbortSignal): Promise<number> {
  const { interference } = given;
  const claimed = interference.order(await given.run('write', claim));
  await Promise.all(claimed.map((each) => deliver(given, each, signal)));
  return claimed.length;
}

async function claim(work: Work): Promise<Claimed[]> {
  const claimed: Claimed[] = [];
  for (const row of await work.due(deliveryTime, work.nowMs, maxConcurrent)) {
    const delivery = row as Row<'delivery'>; // only deliveries are due on this timeline
    const event = await work.get('event', delivery.body.event);
    const endpoint = await work.get('webhook_endpoint', delivery.body.endpoint);
    if (!event || endpoint?.body.status !== 'enabled') {
      await work.remove([delivery.id]);
      continue;
    }
    delivery.body.attempts += 1;
    delivery.dueMs = work.nowMs + claimMs;
    work.save(delivery);
    const { url } = endpoint.body;
    claimed.push({ delivery: delivery.body, event: event.body, url, secret: endpoint.memory.secret });
  }
  return claimed;
}

async function deliver(given: DelivererGiven, claimed: Claimed, signal: AbortSignal): Promise<void> {
  const { delivery, event } = claimed;
  const answers = await Promise.all(
    Array.from({ length: given.interference.copies }, () => attempt(given, claimed, signal)),
  );
  const delivered = answers.includes(true);
  const waitMs = given.retryAfterMs[delivery.attempts - 1];
  await given.run('write', async (work) => {
    const row = await work.get('delivery', delivery.id);
    if (!row) return;
    if (!delivered && signal.aborted) {
      // a stop is not a failure: the webhook is sent after the next start
      row.body.attempts -= 1;
      row.dueMs = work.nowMs;
      work.save(row);
      return;
    }
    if (!delivered && waitMs !== undefined) {
      row.dueMs = work.nowMs + waitMs;
      work.save(row);
      return;
    }
    const eventRow = await work.get('event', event.id);
    if (eventRow && delivered) {
      eventRow.body.pending_webhooks -= 1;
      eventRow.memory.delivered = eventRow.body.pending_webhooks === 0;
      work.save(eventRow);
    }
    await work.remove([delivery.id]);
  });
}

async function attempt(
  given: DelivererGiven,
  { delivery, event, url, secret }: Claimed,
  signal: AbortSignal,
): Promise<boolean> {
  const mayPass = await Promise.race([given.interference.mayPass(event), aborted(signal)]);
  if (!mayPass) return false;
  const body = JSON.stringify(event);
  const signature = signWebhook(body, secret, Math.floor(given.now() / 1000));
  try {
    const status = await sendWebhook({ url, connectTo: given.connectTo(delivery.endpoint), body, signature }, signal);
    return status >= 200 && status < 300;
  } catch {
    return false;
  }
}

function aborted(signal: AbortSignal): Promise<false> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(false), { once: true }));
}
