import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { createSampledLog } from './sampled-log.ts';
import { waitUntil } from '#testing/wait-until.ts';

function sampled() {
  const written: { msg: string; leftOut?: number }[] = [];
  const log = createLog('info', { write: (line: string) => void written.push(JSON.parse(line)) });
  return { written, sample: createSampledLog(log, 'more', 3) };
}

test('a limited number of lines per second are written, then the number of the others, and then counting starts again', async () => {
  const { written, sample } = sampled();
  for (let count = 0; count < 1000; count++) sample.info({}, 'one');
  expect(written.map(({ msg }) => msg)).toEqual(['one', 'one', 'one']);
  await waitUntil('the number', () => written.length === 4);
  expect(written[3]).toMatchObject({ msg: 'more', leftOut: 997 });
  sample.info({}, 'one');
  expect(written.at(-1)?.msg).toBe('one');
  sample.stop();
});

test('a stop reports what was left out', () => {
  const { written, sample } = sampled();
  for (let count = 0; count < 5; count++) sample.info({}, 'one');
  sample.stop();
  expect(written.at(-1)).toMatchObject({ msg: 'more', leftOut: 2 });
});
