import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEventSplitter } from './sse-events.ts';
import { createLineSplitter } from './line-splitter.ts';
import { UpstreamError } from '../upstream-error.ts';

function pieces(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 20 });
const line = fc.stringMatching(/^[a-z: é]{0,20}$/);

describe('the event splitter', () => {
  test('returns every byte once, in order, and only complete events, wherever the stream is cut', () => {
    const stream = fc.array(fc.tuple(fc.array(line, { maxLength: 3 }), fc.constantFrom('\n', '\r\n')), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(stream, cuts, (events, places) => {
        const bytes = Buffer.from(events.map(([lines, end]) => [...lines, ''].join(end) + end).join(''));
        const splitter = createEventSplitter(1024 * 1024);
        const out: Buffer[] = [];
        for (const piece of pieces(bytes, places)) {
          for (const batch of splitter.push(piece)) {
            expect(/\n\r?\n$|^\r?\n$/.test(batch.bytes.toString())).toBe(true);
            out.push(batch.bytes);
          }
        }
        expect(Buffer.concat([...out, splitter.rest()]).equals(bytes)).toBe(true);
      }),
    );
  });

  test('limits each event, not the whole stream', () => {
    const splitter = createEventSplitter(100);
    for (let event = 0; event < 1000; event++) splitter.push(Buffer.from(`data: ${'x'.repeat(80)}\n\n`));
    expect(splitter.rest().length).toBe(0);
  });

  test('refuses an event above the limit, in one piece or in many', () => {
    const whole = createEventSplitter(100);
    expect(() => whole.push(Buffer.from(`data: ${'x'.repeat(200)}\n\n`))).toThrow(UpstreamError);
    const splitter = createEventSplitter(100);
    splitter.push(Buffer.from('data: '));
    const drip = () => {
      for (let byte = 0; byte < 200; byte++) splitter.push(Buffer.from('x'));
    };
    expect(drip).toThrow(UpstreamError);
  });

  test('returns at most 64 events at a time', () => {
    const batches = createEventSplitter(1000).push(Buffer.from('data: 1\n\n'.repeat(200)));
    expect(batches.map(({ events }) => events)).toEqual([64, 64, 64, 8]);
  });
});

describe('the line splitter', () => {
  test('returns the lines of the stream, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), cuts, (lines, places) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
        const splitter = createLineSplitter(1000);
        const out = pieces(bytes, places).flatMap((piece) => splitter.push(piece).lines);
        expect(out.map((each) => each.toString())).toEqual(lines);
      }),
    );
  });

  test('reports a line above the limit, whether or not it is complete', () => {
    expect(createLineSplitter(10).push(Buffer.from('x'.repeat(11))).tooLong).toBe(true);
    expect(createLineSplitter(10).push(Buffer.from(`a\n${'x'.repeat(11)}\nb\n`))).toMatchObject({ tooLong: true });
    expect(createLineSplitter(10).push(Buffer.from(`${'x'.repeat(10)}\n`)).tooLong).toBe(false);
  });
});
