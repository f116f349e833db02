import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlidingLimit } from './sliding-limit.ts';

test('a limit is never exceeded in any window, and allows everything below it', () => {
  // whole numbers meet the edge of the window
  const pause = fc.oneof(fc.double({ min: 0, max: 400, noNaN: true }), fc.constantFrom(0, 1, 250, 499, 500, 999, 1000));
  const steps = fc.array(pause, { maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 8 }), (pausesMs, count) => {
      const limit = new SlidingLimit(count, 1000);
      const taken: number[] = [];
      let nowMs = 0;
      for (const pauseMs of pausesMs) {
        nowMs += pauseMs;
        const inWindow = taken.filter((atMs) => nowMs - atMs < 1000).length;
        expect(limit.hasRoom(nowMs)).toBe(inWindow < count);
        if (!limit.hasRoom(nowMs)) continue;
        limit.take(nowMs);
        taken.push(nowMs);
      }
    }),
  );
});
