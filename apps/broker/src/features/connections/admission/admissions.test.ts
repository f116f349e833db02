import { expect, test } from 'vitest';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { createManualTime } from '../testing/manual-time.ts';
import { testServer } from '../testing/test-server.ts';
import { createAdmissions, type Admission, type Admissions, type AdmissionLimits } from './admissions.ts';
import type { CallOutcome } from './breaker.ts';

const web = testServer({ id: 'web', maxInFlight: 2 });
const files = testServer({ id: 'files', connection: { type: 'stdio', command: 'files' }, isolation: 'perUser' });

function build(limits: Partial<AdmissionLimits> = {}) {
  const time = createManualTime();
  const admissions = createAdmissions({
    limits: { callsInFlightPerServer: undefined, callsInFlightPerUser: 16, ...limits },
    clock: time.clock,
    timers: time.timers,
  });
  return { time, admissions };
}

const kindOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'admitted',
    (error: unknown) => (error instanceof UpstreamError ? error.kind : String(error)),
  );

/** Calls that fail one after another. */
async function fail(admissions: Admissions, times: number, outcome: CallOutcome = 'unreachable'): Promise<void> {
  for (let count = 0; count < times; count++) (await admissions.admit(web, 'ann')).settle(outcome);
}

test('a free place is given at once, without a promise or a timer', () => {
  const { time, admissions } = build();
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
  expect(time.pending()).toBe(0);
});

test('a call beyond the places of its server waits, and goes when one is free', async () => {
  const { time, admissions } = build();
  const first = admissions.admitNow(web, 'ann');
  admissions.admitNow(web, 'ann');
  expect(admissions.admitNow(web, 'bob')).toBeUndefined();
  const waiting = admissions.admit(web, 'bob');
  first?.settle(undefined);
  await waiting;
  expect(admissions.inFlight('web')).toBe(2);
  expect(time.pending()).toBe(0);
});

test('who waits two seconds is told that the server is busy', async () => {
  const { time, admissions } = build();
  admissions.admitNow(web, 'ann');
  admissions.admitNow(web, 'ann');
  const waiting = kindOf(admissions.admit(web, 'bob'));
  time.pass(2000);
  expect(await waiting).toBe('busy');
});

test('of two people who wait, each goes in turn, whatever number of calls the other has waiting', async () => {
  const { admissions } = build();
  const held = [admissions.admitNow(web, 'zoe'), admissions.admitNow(web, 'zoe')];
  const order: string[] = [];
  const going: Promise<Admission>[] = [];
  for (const who of ['ann', 'ann', 'ann', 'bob']) {
    const waiting = admissions.admit(web, who);
    going.push(waiting);
    void waiting.then((admission) => {
      order.push(who);
      admission.settle(undefined);
    });
  }
  held[0]?.settle(undefined);
  await Promise.all(going);
  expect(order).toEqual(['ann', 'bob', 'ann', 'ann']);
});

test('a queue of 256 refuses the next call, yet has room for a person who has none in it', async () => {
  const { admissions } = build();
  admissions.admitNow(web, 'ann');
  admissions.admitNow(web, 'ann');
  const flood = Array.from({ length: 256 }, () => kindOf(admissions.admit(web, 'ann')));
  expect(await kindOf(admissions.admit(web, 'ann'))).toBe('busy');
  const bob = kindOf(admissions.admit(web, 'bob'));
  // the flooding person's last call made room
  expect(await flood.at(-1)).toBe('busy');
  admissions.stop();
  expect(await bob).toBe('closed');
});

test('a person has 16 calls under way over all servers, and the seventeenth goes when one of them is over, anywhere', async () => {
  const { admissions } = build();
  const many = testServer({ id: 'many' });
  const held = Array.from({ length: 16 }, () => admissions.admitNow(many, 'ann'));
  expect(held.every((admission) => admission !== undefined)).toBe(true);
  const waiting = admissions.admit(web, 'ann');
  // nobody else is held up by that
  expect(admissions.admitNow(web, 'bob')).toBeDefined();
  held[0]?.settle(undefined);
  await waiting;
});

test('a caller who hangs up leaves the queue', async () => {
  const { time, admissions } = build({ callsInFlightPerServer: 1 });
  const first = admissions.admitNow(web, 'ann');
  const controller = new AbortController();
  const waiting = kindOf(admissions.admit(web, 'bob', controller.signal));
  controller.abort();
  expect(await waiting).toBe('cancelled');
  expect(time.pending()).toBe(0);
  first?.settle(undefined);
  expect(admissions.inFlight('web')).toBe(0);
});

test('a server that fails five times in a row is left alone for 30 s, then one call finds out', async () => {
  const { time, admissions } = build();
  await fail(admissions, 5);
  expect(() => admissions.admitNow(web, 'bob')).toThrow('left alone');
  time.pass(29_999);
  expect(() => admissions.admitNow(web, 'bob')).toThrow('left alone');
  time.pass(1);
  const probe = admissions.admitNow(web, 'bob');
  expect(probe).toBeDefined();
  expect(() => admissions.admitNow(web, 'ann')).toThrow('left alone');
  probe?.settle(undefined);
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test('each failed probe doubles the time, up to five minutes', async () => {
  const { time, admissions } = build();
  await fail(admissions, 5);
  for (const seconds of [30, 60, 120, 240, 300, 300]) {
    time.pass(seconds * 1000 - 1);
    expect(() => admissions.admitNow(web, 'ann')).toThrow('left alone');
    time.pass(1);
    admissions.admitNow(web, 'ann')?.settle('timeout');
  }
});

test("a tool's own error, a refused caller and a cancelled call do not count as failures of the server", async () => {
  const { admissions } = build();
  for (const outcome of ['protocol', 'cancelled', 'sign_in_required', 'result_too_large', undefined] as const) {
    for (let count = 0; count < 6; count++) admissions.admitNow(web, 'ann')?.settle(outcome);
  }
  await fail(admissions, 4);
  admissions.admitNow(web, 'ann')?.settle('protocol');
  await fail(admissions, 4);
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test("one person's slow calls close a server for nobody while it answers others, and do when it answers nobody", async () => {
  const { admissions } = build({ callsInFlightPerServer: 32 });
  const slow = () => Array.from({ length: 10 }, () => admissions.admitNow(web, 'ann'));
  const beside = slow();
  admissions.admitNow(web, 'bob')?.settle(undefined);
  for (const call of beside) call?.settle('timeout');
  expect(admissions.admitNow(web, 'bob')).toBeDefined();
  for (const call of slow()) call?.settle('timeout');
  expect(() => admissions.admitNow(web, 'bob')).toThrow('left alone');
});

test('a refused connection counts, whatever the server answered before it', async () => {
  const { admissions } = build({ callsInFlightPerServer: 32 });
  const refused = Array.from({ length: 5 }, () => admissions.admitNow(web, 'ann'));
  admissions.admitNow(web, 'bob')?.settle(undefined);
  for (const call of refused) call?.settle('unreachable');
  expect(() => admissions.admitNow(web, 'bob')).toThrow('left alone');
});

test('a probe that its caller cancels leaves the question to the next call', async () => {
  const { time, admissions } = build();
  await fail(admissions, 5);
  time.pass(30_000);
  admissions.admitNow(web, 'ann')?.settle('cancelled');
  expect(admissions.admitNow(web, 'bob')).toBeDefined();
});

test('when a server is back, the next call may find out at once', async () => {
  const { admissions } = build();
  await fail(admissions, 5);
  admissions.retryNow('web');
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test('a server that was gone and answers a check may be asked at once, the first time', async () => {
  const { time, admissions } = build();
  await fail(admissions, 5, 'closed');
  admissions.seenWell('web');
  admissions.admitNow(web, 'ann')?.settle('closed');
  // there for the check, and gone in the call
  admissions.seenWell('web');
  expect(() => admissions.admitNow(web, 'ann')).toThrow('left alone');
  time.pass(60_000);
  admissions.admitNow(web, 'ann')?.settle(undefined);
  await fail(admissions, 5, 'closed');
  admissions.seenWell('web');
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test('a server that was there and answered badly is left alone, whatever it answers to a check', async () => {
  const { admissions } = build();
  await fail(admissions, 4, 'unreachable');
  await fail(admissions, 1, 'bad_upstream');
  admissions.seenWell('web');
  expect(() => admissions.admitNow(web, 'ann')).toThrow('left alone');
});

test('those who wait hear at once that the server is left alone', async () => {
  const { admissions } = build();
  await fail(admissions, 4);
  const last = admissions.admitNow(web, 'ann');
  admissions.admitNow(web, 'ann');
  const waiting = kindOf(admissions.admit(web, 'bob'));
  last?.settle('closed');
  expect(await waiting).toBe('unreachable');
});

test("one person's process that answers nothing is left alone for that person only, and one that ended is not", () => {
  const { admissions } = build();
  const fail = (outcome: CallOutcome) => {
    for (let count = 0; count < 5; count++) admissions.admitNow(files, 'ann')?.settle(outcome);
  };
  fail('closed');
  fail('unreachable');
  fail('timeout');
  expect(() => admissions.admitNow(files, 'ann')).toThrow('left alone');
  expect(admissions.admitNow(files, 'bob')).toBeDefined();
});
