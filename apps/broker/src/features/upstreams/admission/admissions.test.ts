import { expect, test } from 'vitest';
import { build, kindOf, web } from '../testing/build-admissions.ts';
import { testServer } from '../testing/test-server.ts';
import type { Admission } from './admissions.ts';

test('a free slot is given immediately, without a promise or a timer', () => {
  const { time, admissions } = build();
  expect(admissions.admitNow(web, 'ann')).toBeDefined();
  expect(time.pending()).toBe(0);
});

test('a call beyond the slots of its server waits, and is admitted when one is free', async () => {
  const { time, admissions } = build();
  const first = admissions.admitNow(web, 'ann');
  admissions.admitNow(web, 'ann');
  expect(admissions.admitNow(web, 'bob')).toBeUndefined();
  const waiting = admissions.admit(web, 'bob');
  first?.leave(undefined);
  await waiting;
  expect(admissions.inFlight('web')).toBe(2);
  expect(time.pending()).toBe(0);
});

test('a call that has waited two seconds is refused as busy', async () => {
  const { time, admissions } = build();
  admissions.admitNow(web, 'ann');
  admissions.admitNow(web, 'ann');
  const waiting = kindOf(admissions.admit(web, 'bob'));
  time.pass(2000);
  expect(await waiting).toBe('busy');
});

test('two users who wait are served in turns, however many calls the other has waiting', async () => {
  const { admissions } = build();
  const admitted = [admissions.admitNow(web, 'zoe'), admissions.admitNow(web, 'zoe')];
  const order: string[] = [];
  const going: Promise<Admission>[] = [];
  for (const who of ['ann', 'ann', 'ann', 'bob']) {
    const waiting = admissions.admit(web, who);
    going.push(waiting);
    void waiting.then((admission) => {
      order.push(who);
      admission.leave(undefined);
    });
  }
  admitted[0]?.leave(undefined);
  await Promise.all(going);
  expect(order).toEqual(['ann', 'bob', 'ann', 'ann']);
});

test('a queue of 256 refuses the next call, but accepts one of a user who has none in it', async () => {
  const { admissions } = build();
  admissions.admitNow(web, 'ann');
  admissions.admitNow(web, 'ann');
  const flood = Array.from({ length: 256 }, () => kindOf(admissions.admit(web, 'ann')));
  expect(await kindOf(admissions.admit(web, 'ann'))).toBe('busy');
  const bob = kindOf(admissions.admit(web, 'bob'));
  // the flooding user's last call made room
  expect(await flood.at(-1)).toBe('busy');
  admissions.stop();
  expect(await bob).toBe('closed');
});

test('a user has at most 16 running calls over all servers, and the next is admitted when any of them ends', async () => {
  const { admissions } = build();
  const many = testServer({ id: 'many' });
  const admitted = Array.from({ length: 16 }, () => admissions.admitNow(many, 'ann'));
  expect(admitted.every((admission) => admission !== undefined)).toBe(true);
  const waiting = admissions.admit(web, 'ann');
  // other users do not wait for that
  expect(admissions.admitNow(web, 'bob')).toBeDefined();
  admitted[0]?.leave(undefined);
  await waiting;
});

test('a caller who disconnects leaves the queue', async () => {
  const { time, admissions } = build({ callsInFlightPerServer: 1 });
  const first = admissions.admitNow(web, 'ann');
  const controller = new AbortController();
  const waiting = kindOf(admissions.admit(web, 'bob', controller.signal));
  controller.abort();
  expect(await waiting).toBe('cancelled');
  expect(time.pending()).toBe(0);
  first?.leave(undefined);
  expect(admissions.inFlight('web')).toBe(0);
});
