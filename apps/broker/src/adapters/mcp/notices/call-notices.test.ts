import { expect, test } from 'vitest';
import type { Listening } from '../upstream.ts';
import { CallNotices } from './call-notices.ts';
import { NoticeLimits } from './notice-limits.ts';

/** Limits of a process whose clock the test controls. */
function startLimits() {
  let nowMs = 0;
  let due: { atMs: number; act: () => void }[] = [];
  const limits = new NoticeLimits({
    now: () => nowMs,
    after: (delayMs, act) => void due.push({ atMs: nowMs + delayMs, act }),
  });
  return {
    limits,
    timers: () => due.length,
    pass(ms: number) {
      const endMs = nowMs + ms;
      for (;;) {
        const [next] = due.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
        if (!next) break;
        due = due.filter((timer) => timer !== next);
        nowMs = next.atMs;
        next.act();
      }
      nowMs = endMs;
    },
  };
}

function startCall(limits: NoticeLimits, server = 'one') {
  const heard: number[] = [];
  const logged: unknown[] = [];
  let state: Listening = 'ready';
  const notices = new CallNotices(limits.ofServer(server), {
    onProgress: ({ progress }) => heard.push(progress),
    onLog: ({ data }) => logged.push(data),
    listening: () => state,
  });
  return { notices, heard, logged, become: (next: Listening) => (state = next) };
}

test('a call forwards 20 notices per second, and the newest of those that wait', () => {
  const { limits, pass, timers } = startLimits();
  const { notices, heard } = startCall(limits);
  for (let progress = 1; progress <= 500; progress++) notices.progress({ progress });
  expect(heard).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  pass(999);
  expect(heard).toHaveLength(20);
  pass(100);
  expect(heard.slice(20)).toEqual([500]);
  // nothing waits, so no timer is left
  expect(timers()).toBe(0);
});

test('progress and log messages share the notice limit of a call, and each keeps its newest', () => {
  const { limits, pass } = startLimits();
  const { notices, heard, logged } = startCall(limits);
  for (let progress = 1; progress <= 20; progress++) notices.progress({ progress });
  notices.progress({ progress: 21 });
  for (const data of ['a', 'b']) notices.log({ level: 'info', data });
  notices.progress({ progress: 22 });
  expect(logged).toEqual([]);
  pass(1100);
  expect(heard.slice(20)).toEqual([22]);
  expect(logged).toEqual(['b']);
});

test('endless progress does not hold back log messages', () => {
  const { limits, pass } = startLimits();
  const { notices, heard, logged } = startCall(limits);
  for (let progress = 1; progress <= 300; progress++) {
    notices.progress({ progress });
    notices.log({ level: 'info', data: progress });
    pass(10);
  }
  expect(logged.length).toBeGreaterThan(20);
  expect(heard.length).toBeGreaterThan(20);
});

test('a server forwards 200 notices per second, and its calls take turns', () => {
  const { limits, pass } = startLimits();
  const calls = Array.from({ length: 30 }, () => startCall(limits));
  const other = startCall(limits, 'two');
  const count = () => calls.reduce((sum, { heard }) => sum + heard.length, 0);
  const flood = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      for (const [index, { notices }] of calls.entries()) notices.progress({ progress: passed + index });
      pass(10);
    }
  };
  flood(990);
  expect(count()).toBe(200);
  other.notices.progress({ progress: 1 });
  expect(other.heard).toEqual([1]);
  flood(3000);
  expect(count()).toBeLessThanOrEqual(800);
  expect(count()).toBeGreaterThan(700);
  // calls whose notices came too late in the first second had their turn
  for (const { heard } of calls) expect(heard.length).toBeGreaterThan(10);
});

test('a call that waits comes before one that did not wait', () => {
  const { limits, pass } = startLimits();
  // one slot becomes free every 5 ms
  for (let call = 0; call < 10; call++) {
    const { notices } = startCall(limits);
    for (let progress = 0; progress < 20; progress++) {
      notices.progress({ progress });
      pass(5);
    }
  }
  const waiting = startCall(limits);
  const fill = startCall(limits);
  fill.notices.progress({ progress: 1 });
  pass(3);
  waiting.notices.progress({ progress: 1 });
  pass(2);
  for (let passed = 0; passed < 200; passed += 5) {
    startCall(limits).notices.progress({ progress: 1 });
    pass(5);
  }
  expect(waiting.heard).toEqual([1]);
});

test('all servers together forward 2,000 notices per second', () => {
  const { limits, pass } = startLimits();
  const calls = Array.from({ length: 300 }, (_, index) => startCall(limits, `server-${index % 20}`));
  for (let round = 0; round < 20; round++) {
    for (const { notices } of calls) notices.progress({ progress: round });
    pass(40);
  }
  expect(calls.reduce((sum, { heard }) => sum + heard.length, 0)).toBe(2000);
});

test('a slow client gets the newest notice once it has read the others', () => {
  const { limits, pass } = startLimits();
  const { notices, heard, become } = startCall(limits);
  become('busy');
  for (let progress = 1; progress <= 9; progress++) notices.progress({ progress });
  pass(500);
  expect(heard).toEqual([]);
  become('ready');
  pass(50);
  expect(heard).toEqual([9]);
});

test('a disconnected client gets no notices, and its progress counts for nothing', () => {
  const { limits, pass, timers } = startLimits();
  const { notices, heard, logged, become } = startCall(limits);
  become('gone');
  expect(notices.progress({ progress: 1 })).toBe(false);
  notices.log({ level: 'info', data: 'x' });
  become('busy');
  expect(notices.progress({ progress: 2 })).toBe(true);
  become('gone');
  pass(200);
  become('ready');
  pass(200);
  expect([...heard, ...logged]).toEqual([]);
  expect(timers()).toBe(0);
});

test('notices that still wait when the result comes are dropped', () => {
  const { limits, pass, timers } = startLimits();
  const { notices, heard } = startCall(limits);
  for (let progress = 1; progress <= 25; progress++) notices.progress({ progress });
  notices.end();
  pass(5000);
  expect(heard).toHaveLength(20);
  expect(timers()).toBe(0);
});
