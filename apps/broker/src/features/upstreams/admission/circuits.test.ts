import { expect, test } from 'vitest';
import { build, kindOf, web } from '../testing/build-admissions.ts';
import { testServer } from '../testing/test-server.ts';
import type { Admissions } from './admissions.ts';
import type { CallOutcome } from './breaker.ts';

const files = testServer({ id: 'files', connection: { type: 'stdio', command: 'files' }, isolation: 'perUser' });

/** Makes sequential calls of two users fail. */
async function fail(admissions: Admissions, times: number, outcome: CallOutcome = 'unreachable'): Promise<void> {
  for (let count = 0; count < times; count++) {
    (await admissions.admit(web, count % 2 === 0 ? 'ann' : 'bob')).leave(outcome);
  }
}

/** Makes sequential calls of one user fail. */
function failFor(who: string, admissions: Admissions, times = 5, outcome: CallOutcome = 'bad_upstream'): void {
  for (let count = 0; count < times; count++) admissions.admitNow(web, who)?.leave(outcome);
}

test('five consecutive failures of two users open the circuit for 30 s, then it is half-open: one call probes', async () => {
  const { time, admissions } = build();
  await fail(admissions, 5);
  expect(() => admissions.admitNow(web, 'bob')).toThrow('paused');
  time.pass(29_999);
  expect(() => admissions.admitNow(web, 'bob')).toThrow('paused');
  time.pass(1);
  const probe = admissions.admitNow(web, 'bob');
  expect(probe).toBeDefined();
  expect(() => admissions.admitNow(web, 'ann')).toThrow('paused');
  probe?.leave(undefined);
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test('each failed probe doubles the time that the circuit is open, up to five minutes', async () => {
  const { time, admissions } = build();
  await fail(admissions, 5);
  for (const seconds of [30, 60, 120, 240, 300, 300]) {
    time.pass(seconds * 1000 - 1);
    expect(() => admissions.admitNow(web, 'ann')).toThrow('paused');
    time.pass(1);
    admissions.admitNow(web, 'ann')?.leave('timeout');
  }
});

test("a tool's own error, a refused caller and a canceled call do not count as failures of the server", async () => {
  const { admissions } = build();
  for (const outcome of ['protocol', 'cancelled', 'sign_in_required', 'result_too_large', undefined] as const) {
    for (let count = 0; count < 6; count++) admissions.admitNow(web, 'ann')?.leave(outcome);
  }
  await fail(admissions, 4);
  admissions.admitNow(web, 'ann')?.leave('protocol');
  await fail(admissions, 4);
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test('timeouts open the circuit only if the server answers no other call meanwhile', async () => {
  const { admissions } = build({ callsInFlightPerServer: 64 });
  const slow = () => ['ann', 'bob'].flatMap((who) => Array.from({ length: 3 }, () => admissions.admitNow(web, who)));
  const beside = slow();
  for (const who of ['ann', 'bob']) admissions.admitNow(web, who)?.leave(undefined);
  for (const call of beside) call?.leave('timeout');
  expect(admissions.admitNow(web, 'zoe')).toBeDefined();
  for (const call of slow()) call?.leave('timeout');
  expect(() => admissions.admitNow(web, 'zoe')).toThrow('paused');
});

test('a refused connection counts, even if the server answered another call meanwhile', async () => {
  const { admissions } = build({ callsInFlightPerServer: 32 });
  const refused = Array.from({ length: 5 }, (_, index) => admissions.admitNow(web, index < 3 ? 'ann' : 'bob'));
  admissions.admitNow(web, 'bob')?.leave(undefined);
  for (const call of refused) call?.leave('unreachable');
  expect(() => admissions.admitNow(web, 'bob')).toThrow('paused');
});

test('after a probe that its caller cancels, the next call probes', async () => {
  const { time, admissions } = build();
  await fail(admissions, 5);
  time.pass(30_000);
  admissions.admitNow(web, 'ann')?.leave('cancelled');
  expect(admissions.admitNow(web, 'bob')).toBeDefined();
});

test('after a requested retry, the next call probes immediately', async () => {
  const { admissions } = build();
  await fail(admissions, 5);
  admissions.retryNow('web');
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test('five consecutive failures of one user open the circuit for that user only', async () => {
  const { time, admissions } = build();
  // a response ends the sequence of two users' failures
  await fail(admissions, 4);
  for (const who of ['ann', 'bob']) admissions.admitNow(web, who)?.leave(undefined);
  failFor('ann', admissions);
  expect(() => admissions.admitNow(web, 'ann')).toThrow('paused');
  expect(admissions.openUntilMs('web')).toBeUndefined();
  admissions.admitNow(web, 'bob')?.leave(undefined);
  time.pass(30_000);
  admissions.admitNow(web, 'ann')?.leave(undefined);
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test("one user's slow calls do not open that user's circuit while the server answers another of their calls", () => {
  const { admissions } = build({ callsInFlightPerServer: 32 });
  const slow = Array.from({ length: 6 }, () => admissions.admitNow(web, 'ann'));
  admissions.admitNow(web, 'ann')?.leave(undefined);
  for (const call of slow) call?.leave('timeout');
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test('five consecutive failures of one user and a failed check open the circuit for all users, and so do five failed checks', () => {
  const { admissions } = build();
  failFor('ann', admissions);
  admissions.failedCheck('web', 'timeout');
  expect(() => admissions.admitNow(web, 'bob')).toThrow('paused');
  // calls and checks count together
  const mixed = testServer({ id: 'mixed' });
  for (let count = 0; count < 4; count++) {
    expect(admissions.admitNow(mixed, 'bob')).toBeDefined();
    if (count % 2 === 0) admissions.failedCheck('mixed', 'timeout');
    else admissions.admitNow(mixed, 'ann')?.leave('timeout');
  }
  admissions.failedCheck('mixed', 'timeout');
  expect(() => admissions.admitNow(mixed, 'bob')).toThrow('paused');
  const other = testServer({ id: 'other' });
  for (let count = 0; count < 5; count++) {
    expect(admissions.admitNow(other, 'bob')).toBeDefined();
    admissions.failedCheck('other', 'unreachable');
  }
  expect(() => admissions.admitNow(other, 'bob')).toThrow('paused');
  admissions.answeredCheck('other');
  // no call has failed, so all may continue
  expect([admissions.admitNow(other, 'ann'), admissions.admitNow(other, 'bob')]).not.toContain(undefined);
});

test('an inconclusive check opens nothing, nor do failed checks with a response between them', () => {
  const { admissions } = build();
  for (let count = 0; count < 6; count++) admissions.failedCheck('web', 'refused_address');
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
  const other = testServer({ id: 'other' });
  for (let count = 0; count < 4; count++) admissions.failedCheck('other', 'timeout');
  admissions.admitNow(other, 'ann')?.leave(undefined);
  admissions.failedCheck('other', 'timeout');
  expect(admissions.admitNow(other, 'ann')).toBeDefined();
  for (let count = 0; count < 6; count++) {
    admissions.answeredCheck('web');
    admissions.failedCheck('web', 'timeout');
  }
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test("one user's failed probe does not block the others: the next user may probe immediately", async () => {
  const { time, admissions } = build();
  await fail(admissions, 5);
  time.pass(30_000);
  admissions.admitNow(web, 'zoe')?.leave('bad_upstream');
  expect(() => admissions.admitNow(web, 'zoe')).toThrow('paused');
  // two users' probes failed: the 60 s apply to all
  admissions.admitNow(web, 'bob')?.leave('bad_upstream');
  expect(() => admissions.admitNow(web, 'ann')).toThrow('paused');
  time.pass(60_000);
  admissions.admitNow(web, 'zoe')?.leave('bad_upstream');
  // the result of our own check applies to all users
  admissions.failedCheck('web', 'timeout');
  expect(() => admissions.admitNow(web, 'bob')).toThrow('paused');
  time.pass(120_000);
  admissions.admitNow(web, 'zoe')?.leave('bad_upstream');
  admissions.admitNow(web, 'bob')?.leave(undefined);
  expect([admissions.admitNow(web, 'ann'), admissions.admitNow(web, 'bob')]).not.toContain(undefined);
});

test('a server that recovers does so for each user whose circuit was open', () => {
  const { time, admissions } = build();
  failFor('ann', admissions);
  time.pass(30_000);
  failFor('ann', admissions, 1);
  failFor('bob', admissions, 1);
  time.pass(30_000);
  expect(() => admissions.admitNow(web, 'ann')).toThrow('paused');
  admissions.admitNow(web, 'bob')?.leave(undefined);
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test('a server remembers the circuits of 1,000 users', () => {
  const { admissions } = build();
  failFor('ann', admissions);
  for (let count = 0; count < 999; count++) admissions.admitNow(web, `person-${count}`)?.leave(undefined);
  expect(() => admissions.admitNow(web, 'ann')).toThrow('paused');
  admissions.admitNow(web, 'one too many')?.leave(undefined);
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test('an answered check makes the circuit of an unreachable server half-open, the first time', async () => {
  const { time, admissions } = build();
  await fail(admissions, 5, 'closed');
  admissions.answeredCheck('web');
  admissions.admitNow(web, 'ann')?.leave('closed');
  // the server answers the check, and the call cannot reach it
  admissions.answeredCheck('web');
  expect(() => admissions.admitNow(web, 'ann')).toThrow('paused');
  time.pass(60_000);
  admissions.admitNow(web, 'ann')?.leave(undefined);
  await fail(admissions, 5, 'closed');
  admissions.answeredCheck('web');
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
});

test('an answered check changes nothing for a server that was reachable and gave bad responses', async () => {
  const { admissions } = build();
  await fail(admissions, 4, 'unreachable');
  await fail(admissions, 1, 'bad_upstream');
  admissions.answeredCheck('web');
  expect(() => admissions.admitNow(web, 'ann')).toThrow('paused');
});

test('waiting calls are refused immediately when the circuit opens', async () => {
  const { admissions } = build();
  await fail(admissions, 4);
  const last = admissions.admitNow(web, 'ann');
  admissions.admitNow(web, 'ann');
  const waiting = kindOf(admissions.admit(web, 'zoe'));
  last?.leave('closed');
  expect(await waiting).toBe('unreachable');
});

test("timeouts of one user's process open the circuit for that user only, and ended processes do not count", () => {
  const { admissions } = build();
  const fail = (outcome: CallOutcome) => {
    for (let count = 0; count < 5; count++) admissions.admitNow(files, 'ann')?.leave(outcome);
  };
  fail('closed');
  fail('unreachable');
  fail('timeout');
  expect(() => admissions.admitNow(files, 'ann')).toThrow('paused');
  expect(admissions.admitNow(files, 'bob')).toBeDefined();
});
