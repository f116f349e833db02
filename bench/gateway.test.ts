import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectLegacy, connectModern, connectV1 } from '../apps/broker/src/testing/people/mcp-clients.ts';
import type { HttpReady } from './parts/listen.ts';
import { startPart, type Part } from './start-part.ts';

const root = join(import.meta.dirname, '..');

async function runBench(...args: string[]): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, ['scripts/run.mjs', 'bench/run.ts', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const read = { output: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (read.output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (read.errors += text));
  await once(child, 'close');
  return { code: child.exitCode, ...read };
}

function goodTarget(name: string) {
  return expect.objectContaining({ target: name, ratio: expect.any(Number), errors: 0, wrongAnswers: 0 });
}

test('an unknown benchmark is refused with a list of the benchmarks', async () => {
  const { code, errors } = await runBench('teapot');
  expect(code).toBe(64);
  expect(errors).toContain('There is no benchmark "teapot".');
  expect(errors).toMatch(/^ {2}gateway /m);
});

test('an invalid option is refused with its name and the usage', async () => {
  const { code, errors } = await runBench('gateway', '--rounds', 'many');
  expect(code).toBe(64);
  expect(errors).toContain('--rounds: many');
  expect(errors).toContain('[--clients 1,32,128]');
});

test('[CFG-19] the gateway benchmark measures ratios in one run and ends with one line of JSON', async () => {
  const flags = ['--seconds', '0.15', '--rounds', '1', '--clients', '4', '--database', 'pglite'];
  const { code, output, errors } = await runBench('gateway', ...flags);
  expect(code, errors + output).toBe(0);
  const result: unknown = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
  const targets = expect.arrayContaining(['direct', 'proxy', 'souk pglite', 'souk pglite charged'].map(goodTarget));
  expect(result).toMatchObject({
    bench: 'gateway',
    ok: true,
    problems: [],
    errors: 0,
    wrongAnswers: 0,
    usageRows: { pglite: { ok: expect.any(Number) } },
    ledgers: { pglite: { charged: expect.any(Number), faults: 0 } },
    cases: [
      { upstream: 'raw', era: 'legacy', clients: 4, targets },
      { upstream: 'raw', era: 'modern', clients: 4, targets },
    ],
  });
});

describe('the raw upstream is a valid MCP server', () => {
  let upstream: Part<HttpReady, object>;
  beforeAll(async () => {
    upstream = await startPart(new URL('./parts/raw-upstream.ts', import.meta.url), null, { core: undefined });
  });
  afterAll(() => upstream.stop());

  test.for([
    ['2026-07-28', connectModern],
    ['initialize, SDK 2', connectLegacy],
    ['initialize, SDK 1', connectV1],
  ] as const)('to an official client by %s', async ([, connect]) => {
    const client = await connect(`${upstream.ready.origin}/mcp`, 'no token is asked for');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo']);
    const { content } = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    expect(content).toEqual([{ type: 'text', text: 'hello' }]);
    await expect(client.callTool({ name: 'other' })).rejects.toThrow('Unknown tool');
    await client.close();
  });
});
