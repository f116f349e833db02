import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keptMemory } from '#testing/figures/kept-memory.ts';
import { limitFigure } from '#testing/figures/limits.ts';
import { GatheredBytes } from './gathered-bytes.ts';

test('any pieces are read back in order, as they were added', () => {
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

test('a million pieces of one byte take little more memory than their bytes', async () => {
  const byte = Buffer.from('x');
  const gather = () => {
    const gathered = new GatheredBytes();
    for (let count = 0; count < 1_000_000; count++) gathered.add(byte.subarray(0, 1));
    return gathered;
  };
  expect(gather().take().length).toBe(1_000_000);
  const grown = (of: keyof ReturnType<typeof keptMemory>) => () => {
    const before = keptMemory()[of];
    const gathered = gather();
    const bytes = keptMemory()[of] - before;
    expect(gathered.length).toBe(1_000_000);
    return bytes;
  };
  await limitFigure(2_000_000, 'bytes', grown('buffers'), { scales: 'none', what: 'buffers' });
  // the pieces themselves are garbage: 200 MB if they were kept
  await limitFigure(60_000_000, 'bytes', grown('heap'), { scales: 'none', what: 'values' });
});
