import type { LookupAddress } from 'node:dns';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { boundLookups, lookupSlots, type ResolveName } from './name-lookups.ts';

const found: LookupAddress[] = [{ address: '192.0.2.1', family: 4 }];
const dead = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });

/** A resolver that answers when the test says so. */
let asked: { name: string; answer(error?: Error): void }[];
const resolve: ResolveName = (name, _options, callback) =>
  void asked.push({ name, answer: (error) => callback(error ?? null, error ? [] : found) });
const names = () => asked.map(({ name }) => name);
let nowMs = 0;
let told: Record<string, string>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  asked = [];
  told = {};
  nowMs = 0;
});
afterEach(() => vi.useRealTimers());

function lookups(slots: number) {
  const look = boundLookups(resolve, slots, () => nowMs);
  return (name: string) =>
    look(name, {}, (error) => {
      told[name] = error ? (error.code ?? '') : 'found';
    });
}

/** Runs what was deferred to the next tick. */
const tick = () => new Promise((done) => process.nextTick(done));

test('names that are never answered take the slots of external names, and no others', () => {
  const look = lookups(2);
  for (let count = 0; count < 200; count++) look(`dead-${count}.example`);
  expect(names()).toEqual(['dead-0.example', 'dead-1.example']);
  // half of the threads for lookups: sign-in and the database have the rest
  expect([4, 16, 32, 1].map((threads) => lookupSlots(threads))).toEqual([1, 4, 8, 1]);
});

test('equal names share one lookup', () => {
  const look = boundLookups(resolve, 2, () => nowMs);
  const answers: number[] = [];
  for (let count = 0; count < 5; count++)
    look('one.example', {}, (_error, addresses) => answers.push(addresses.length));
  expect(names()).toEqual(['one.example']);
  asked[0]?.answer();
  expect(answers).toEqual([1, 1, 1, 1, 1]);
});

test('a failure is remembered for 30 s, and its name then waits behind those that did not fail', async () => {
  const look = lookups(2);
  look('dead.example');
  asked[0]?.answer(dead);
  look('dead.example');
  await tick();
  expect([names(), told]).toEqual([['dead.example'], { 'dead.example': 'ENOTFOUND' }]);

  nowMs = 30_000;
  for (const name of ['a.example', 'b.example', 'dead.example', 'c.example']) look(name);
  asked[1]?.answer();
  asked[2]?.answer();
  expect(names().slice(1)).toEqual(['a.example', 'b.example', 'c.example', 'dead.example']);
});

test("a remembered failure is reported with the process's own timing too", async () => {
  const failing: ResolveName = (_name, _options, callback) => callback(dead, []);
  const look = boundLookups(failing, 1);
  const codes: unknown[] = [];
  for (let count = 0; count < 2; count++) look('dead.example', {}, (error) => codes.push(error?.code));
  await tick();
  expect(codes).toEqual(['ENOTFOUND', 'ENOTFOUND']);
});

test('names that failed before have half of the slots', () => {
  const look = lookups(4);
  const failing = ['w', 'x', 'y', 'z'].map((name) => `${name}.example`);
  failing.forEach(look);
  asked.forEach(({ answer }) => answer(dead));
  nowMs = 30_000;
  asked = [];
  failing.forEach(look);
  expect(asked).toHaveLength(2);
  look('live.example');
  expect(names().at(-1)).toBe('live.example');
});

test('a name that waits longer than connections do fails with "try again", and is not looked up', () => {
  const look = lookups(1);
  look('slow.example');
  look('late.example');
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual({ 'late.example': 'EAI_AGAIN' });
  asked[0]?.answer();
  expect([names(), told['slow.example']]).toEqual([['slow.example'], 'found']);
});

test('the number of waiting names is limited', async () => {
  const look = lookups(1);
  for (let count = 0; count < 1_002; count++) look(`name-${count}.example`);
  await tick();
  expect(told).toEqual({ 'name-1001.example': 'EAI_AGAIN' });
});
