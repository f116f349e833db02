import type { SandboxInside } from '../create-sandbox.ts';
import { closeDispute, openDispute } from '../money/dispute.ts';
import { addTestClock } from '../time/add-test-clock.ts';
import type { Work } from '../work.ts';
import { deliveryTime } from '../storage/storage.ts';

export type ControlPlane = {
  /**
   * Answers each request to the API so many ms after it was worked off, or not at all (Infinity), until it is 0 again: what
   * waits then is answered at once.
   */
  delay(ms: number): void;
  /** How many requests the API has worked off. */
  requests(): number;
  /** Loses the next webhooks, of one type or of any. They are tried again as after any failure. */
  drop(times: number, type?: string): void;
  /** Keeps webhooks back until `resume`. */
  pause(): void;
  resume(): void;
  /** Sends each webhook so many times at once. */
  duplicate(copies: number): void;
  /** Sends what is due together in an order that `random` (0 to 1) decides. */
  shuffle(random: () => number): void;
  /** Sends an event again to all endpoints, delivered or not. */
  replay(eventId: string): Promise<void>;
  /** Takes a customer and what they pay for out of real time: a test clock, which it answers the id of, moves it from now on. */
  giveClock(customerId: string): Promise<string>;
  openDispute(chargeId: string): Promise<string>;
  closeDispute(disputeId: string, status: 'won' | 'lost'): Promise<void>;
};

/** What tests do to a sandbox that Stripe's API has no endpoint for. It is an object in the test's process: no address leads to it. */
export function createControlPlane({ run, interference, wake }: SandboxInside): ControlPlane {
  const drops: { left: number; type: string | undefined }[] = [];
  let paused: PromiseWithResolvers<void> | undefined;
  let delayMs = 0;
  let undelayed = Promise.withResolvers<void>();

  let requests = 0;

  interference.beforeAnswer = async () => {
    requests += 1;
    if (delayMs === 0) return;
    const waited = Promise.withResolvers<void>();
    const timer = Number.isFinite(delayMs) ? setTimeout(waited.resolve, delayMs) : undefined;
    await Promise.race([waited.promise, undelayed.promise]);
    clearTimeout(timer);
  };
  interference.mayPass = async (event) => {
    await paused?.promise;
    const drop = drops.find(({ left, type }) => left > 0 && (type === undefined || type === event.type));
    if (drop) drop.left -= 1;
    return !drop;
  };
  return {
    delay(ms) {
      delayMs = ms;
      if (ms > 0) return;
      undelayed.resolve();
      undelayed = Promise.withResolvers();
    },
    requests: () => requests,
    drop: (left, type) => void drops.push({ left, type }),
    pause: () => void (paused ??= Promise.withResolvers()),
    resume() {
      paused?.resolve();
      paused = undefined;
    },
    duplicate: (copies) => void (interference.copies = copies),
    shuffle: (random) => void (interference.order = (items) => shuffled(items, random)),
    async replay(eventId) {
      await run('write', async (work) => {
        const event = await work.need('event', eventId);
        for (const endpoint of await work.find('webhook_endpoint', { body: { status: 'enabled' }, limit: 100 })) {
          const id = work.newId('delivery');
          const body = { id, object: 'delivery' as const, event: eventId, endpoint: endpoint.id, attempts: 0 };
          work.add('delivery', body, {}, { timeline: deliveryTime, dueMs: work.nowMs });
          event.body.pending_webhooks += 1;
        }
        event.memory.delivered = event.body.pending_webhooks === 0;
        work.save(event);
      });
      wake();
    },
    giveClock: (customerId) => run('write', (work) => giveClock(work, customerId)),
    openDispute: (chargeId) => run('write', async (work) => openDispute(work, await work.need('charge', chargeId)).id),
    closeDispute: (disputeId, status) =>
      run('write', async (work) => closeDispute(work, await work.need('dispute', disputeId), status)),
  };
}

async function giveClock(work: Work, customerId: string): Promise<string> {
  const customer = await work.need('customer', customerId);
  const clock = addTestClock(work, { frozenTime: work.now, name: null });
  customer.body.test_clock = clock.id;
  work.save(customer);
  for (const subscription of await work.find('subscription', { body: { customer: customerId }, limit: 100 })) {
    subscription.body.test_clock = clock.id;
    subscription.timeline = clock.id;
    work.save(subscription);
  }
  for (const invoice of await work.find('invoice', { body: { customer: customerId }, limit: 100 })) {
    invoice.timeline = clock.id;
    work.save(invoice);
  }
  return clock.id;
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(Math.floor(random() * rest.length), 1));
}
