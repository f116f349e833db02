import type { SandboxInside } from '../create-sandbox.ts';
import { closeDispute, openDispute } from '../money/dispute.ts';
import { setCancelAt } from '../money/subscriptions/change-subscription.ts';
import { failRefund } from '../money/fail-refund.ts';
import { endDebit } from '../money/settle-debit.ts';
import { currentPeriod, setStatus } from '../money/subscriptions/subscription.ts';
import { changeAccount } from '../objects/account.ts';
import type { EventType } from '../objects/types.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import { emit } from '../webhooks/emit-event.ts';
import { addTestClock } from '../time/add-test-clock.ts';
import type { Work } from '../work.ts';
import type { Failure } from '../interference.ts';
import { deliveryTime } from '../storage/storage.ts';
import { createHolds, type Hold } from './holds.ts';

export type ControlPlane = {
  /**
   * Delays the response to each request to the API by `ms` after its processing, or forever (Infinity). When it is 0
   * again, waiting responses are sent immediately.
   */
  delay(ms: number): void;
  /**
   * Holds the next request back, before its processing or its response after it.
   * @param request such as `POST /v1/subscriptions/sub_1`
   */
  hold(request: string, when: 'before' | 'after'): Hold;
  /** Sets the clock of the sandbox this many ms ahead of the application's. */
  skew(ms: number): void;
  /** Refuses a second write of an object with 429 while one is running, as Stripe does after a while. */
  lockObjects(isOn: boolean): void;
  /** Returns the number of requests that the API has processed. */
  requests(): number;
  /** Loses the next webhooks, of one type or of any. They are retried as after any failure. 0: no more of any. */
  drop(times: number, type?: string): void;
  /** Holds webhooks back until `resume`. */
  pause(): void;
  resume(): void;
  /** Sends each webhook this many times concurrently. */
  duplicate(copies: number): void;
  /** Sends webhooks that are due together in an order that `random` (0 to 1) decides. */
  shuffle(random: () => number): void;
  /** Sends an event again to all endpoints, delivered or not. */
  replay(eventId: string): Promise<void>;
  /** Moves a customer and their subscriptions from real time to a test clock. Returns the id of the clock. */
  giveClock(customerId: string): Promise<string>;
  /** @param as an inquiry of the bank, or another amount or currency than the charge */
  openDispute(chargeId: string, as?: Parameters<typeof openDispute>[2]): Promise<string>;
  closeDispute(disputeId: string, status: 'won' | 'lost' | 'prevented' | 'warning_closed'): Promise<void>;
  /** Lets a refund that had succeeded fail at the bank. */
  failRefund(refundId: string): Promise<void>;
  /** Sets the account, like its owner in the dashboard of Stripe. */
  setAccount(change: Parameters<typeof changeAccount>[1]): Promise<void>;
  /** Cancels like a customer in the portal: a subscription of the flexible mode gets a separate date. */
  cancelInPortal(subscriptionId: string): Promise<void>;
  /** Pauses a subscription, like the owner of the account, or a customer in the portal. */
  pauseSubscription(subscriptionId: string): Promise<void>;
  /** Lets the bank decide about the debit of a payment intent now. */
  settleDebit(intentId: string): Promise<void>;
  /**
   * Fails the next writes to this path, or to any path except those of test helpers (`*`): before they are processed,
   * after, or by refusing them. Their keys store that response. `locked`: with 429, which no key stores. 0 times: no
   * more.
   */
  failNext(path: string, when: Failure, times?: number): void;
  /** Sends an event that the test composes, signed like any other. */
  emit(type: string, object: object): Promise<void>;
};

/**
 * Actions for tests on a sandbox that Stripe's API has no endpoint for: an object in the test's process, without an
 * address.
 */
export function createControlPlane({ run, interference, wake }: SandboxInside): ControlPlane {
  const drops: { left: number; type: string | undefined }[] = [];
  let paused: PromiseWithResolvers<void> | undefined;
  let delayMs = 0;
  let undelayed = Promise.withResolvers<void>();

  let requests = 0;
  const failures: { path: string; when: Failure; left: number }[] = [];
  interference.failAt = (_method, path) => {
    const wanted = path.startsWith('/v1/test_helpers/') ? [path] : ['*', path];
    const failure = failures.find((one) => one.left > 0 && wanted.includes(one.path));
    if (failure) failure.left -= 1;
    return failure?.when;
  };

  const holds = createHolds();
  interference.beforeWork = (method, path) => holds.pass(`${method} ${path}`, 'before');
  interference.beforeAnswer = async (method, path) => {
    requests += 1;
    await holds.pass(`${method} ${path}`, 'after');
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
    hold: holds.hold,
    skew: (ms) => void (interference.skewMs = ms),
    lockObjects: (isOn) => void (interference.locksObjects = isOn),
    requests: () => requests,
    drop(left, type) {
      if (left === 0) drops.length = 0;
      else drops.push({ left, type });
    },
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
    openDispute: (chargeId, as) =>
      run('write', async (work) => openDispute(work, await work.need('charge', chargeId), as).id),
    closeDispute: (disputeId, status) =>
      run('write', async (work) => closeDispute(work, await work.need('dispute', disputeId), status)),
    failRefund: (refundId) => run('write', async (work) => failRefund(work, await work.need('refund', refundId))),
    setAccount: (change) => run('write', (work) => changeAccount(work, change)),
    cancelInPortal: (subscriptionId) =>
      run('write', async (work) => {
        const row = await work.need('subscription', subscriptionId);
        await enterTimeOf(work, row.body.customer);
        setCancelAt(work, row, currentPeriod(row.body).end);
        work.save(row);
        emit(work, 'customer.subscription.updated', row.body, { cancel_at: null });
      }),
    pauseSubscription: (subscriptionId) =>
      run('write', async (work) => setStatus(work, await work.need('subscription', subscriptionId), 'paused')),
    settleDebit: (intentId) =>
      run('write', async (work) => {
        const row = await work.need('payment_intent', intentId);
        await enterTimeOf(work, row.body.customer);
        await endDebit(work, row);
      }),
    failNext(path, when, times = 1) {
      if (times === 0) failures.length = 0;
      else failures.push({ path, when, left: times });
    },
    // any type and form: an application must accept unknown events
    emit: (type, object) => run('write', async (work) => emit(work, type as EventType, object)),
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
  for (const intent of await work.find('payment_intent', { body: { customer: customerId }, limit: 100 })) {
    intent.timeline = clock.id;
    work.save(intent);
  }
  return clock.id;
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(Math.floor(random() * rest.length), 1));
}
