import { expect, test, vi } from 'vitest';
import { createBackground } from './background.ts';

test('flush waits for all work that was added, and forgets it', async () => {
  const background = createBackground({ error: vi.fn<(details: object, message: string) => void>() });
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended: string[] = [];
  background.add(
    first.promise.then(() => ended.push('first')),
    'the first failed',
  );
  background.add(
    second.promise.then(() => ended.push('second')),
    'the second failed',
  );
  const flushed = background.flush().then(() => ended.push('flushed'));
  second.resolve();
  first.resolve();
  await flushed;
  expect(ended).toEqual(['second', 'first', 'flushed']);
  await background.flush();
});

test('work that fails is logged with its message, and rejects nothing', async () => {
  const error = vi.fn<(details: object, message: string) => void>();
  const background = createBackground({ error });
  const cause = new Error('no database');
  background.add(Promise.reject(cause), 'a last use was not recorded');
  await background.flush();
  expect(error).toHaveBeenCalledExactlyOnceWith({ err: cause }, 'a last use was not recorded');
});
