import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
/** Any port: always free, so the search ends. */
const anyPort = 0;

/** Returns the port that a search finds when it tries these in turn. */
const firstFreeOf = (ports: readonly number[]) => {
  const left = [...ports, anyPort];
  return freePort(() => left.shift() ?? anyPort);
};

/** Does the same in another process, which has to end on its own. */
async function firstFreeElsewhere(ports: readonly number[]): Promise<number> {
  const program = `
    import { freePort } from ${JSON.stringify(new URL('free-port.ts', import.meta.url).href)};
    const left = ${JSON.stringify([...ports, anyPort])};
    console.log(await freePort(() => left.shift()));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  return Number(stdout);
}

test('a port is given once, even if nothing listens on it yet', async () => {
  const given = [await freePort(), await freePort()];
  expect(await firstFreeElsewhere(given)).toBe(anyPort);
  expect(await firstFreeOf(given)).toBe(anyPort);
});

test('a port on which something listens is not free', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  expect(await firstFreeElsewhere([address.port])).toBe(anyPort);
  server.close();
});

test('a port that fetch refuses is not given', async () => {
  expect(await firstFreeOf([10_080])).toBe(anyPort);
});
