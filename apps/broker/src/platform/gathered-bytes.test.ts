import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GatheredBytes } from './gathered-bytes.ts';

test('any pieces come back as they were put in, one behind the other', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc.uint8Array({ maxLength: 40 }),
    fc.integer({ min: 2000, max: 20_000 }).map((length) => new Uint8Array(length).fill(length % 251)),
  );
  const gathered = new GatheredBytes();
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const expected = Buffer.concat(pieces);
      for (const each of pieces) gathered.add(Buffer.from(each));
      expect(gathered.length).toBe(expected.length);
      expect(gathered.take().equals(expected)).toBe(true);
      expect(gathered.length).toBe(0);
    }),
  );
});

test('a single piece is not copied', () => {
  const gathered = new GatheredBytes();
  const piece = Buffer.from('{"a":1}');
  gathered.add(piece);
  expect(gathered.take()).toBe(piece);
});

test('a million pieces of one byte take little more memory than their bytes', () => {
  const gathered = new GatheredBytes();
  const byte = Buffer.from('x');
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  for (let count = 0; count < 1_000_000; count++) gathered.add(byte.subarray(0, 1));
  const after = process.memoryUsage();
  expect(after.arrayBuffers - arrayBuffers).toBeLessThan(2_000_000);
  // the pieces themselves are garbage: 200 MB if they were kept
  expect(after.heapUsed - heapUsed).toBeLessThan(60_000_000);
  expect(gathered.take().length).toBe(1_000_000);
});
