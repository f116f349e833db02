import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { runSouk } from './testing/run-souk.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

const run = (argv: string[], environment: NodeJS.ProcessEnv = {}) => runSouk(['doctor', ...argv], { environment });

test('[CFG-26] doctor examines the configured address, says in plain words that nothing is wrong, and exits with 0', async () => {
  const { code, out, err } = await run([], { PUBLIC_URL: app.publicUrl });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain(`Examining ${app.publicUrl}`);
  expect(out).toContain('ok     The Authorization header arrives: A wrong token reaches the broker and is refused.');
  expect(out).toMatch(/No fault found, in \d+ checks\.$/);
});

test('doctor takes any address of an installation, such as the link, without a configuration', async () => {
  const { code, out } = await run([`${app.publicUrl}/mcp`], { PORT: 'not a port' });
  expect(code).toBe(0);
  expect(out).toContain(`Examining ${app.publicUrl}\n`);
});

test('doctor names a fault with what to do, once, and exits with 1', async () => {
  const address = app.publicUrl.replace('localhost', '127.0.0.1');
  const { code, out } = await run([address]);
  expect(code).toBe(1);
  expect(out).toContain(
    'FAULT  PUBLIC_URL is the address that people use: Wrong PUBLIC_URL: the installation believes',
  );
  expect(out).toContain(`What to do: Set PUBLIC_URL=${address} and restart`);
  expect(out).toMatch(/1 fault found\.$/);
});

test('doctor --json prints what the self-test answers', async () => {
  const { code, out } = await run(['--json', app.publicUrl]);
  expect(code).toBe(0);
  const answer: unknown = JSON.parse(out);
  expect(answer).toMatchObject({ url: app.publicUrl, ok: true });
  expect(answer).toHaveProperty('checks.0', {
    id: 'address',
    name: 'The address answers',
    status: 'passed',
    detail: `${app.publicUrl} answers.`,
    advice: null,
  });
});

test('doctor exits with 78 when the configuration is invalid, and with 64 for an invalid address', async () => {
  expect(await run([], { PUBLIC_URL: 'souk.example' })).toMatchObject({
    code: 78,
    err: expect.stringContaining('PUBLIC_URL'),
  });
  expect(await run(['souk.example'])).toMatchObject({ code: 64, err: expect.stringContaining('souk.example') });
  expect(await run(['https://a.example', 'https://b.example'])).toMatchObject({ code: 64, out: '' });
});

test('doctor answers --help', async () => {
  const { code, out } = await run(['--help']);
  expect(code).toBe(0);
  expect(out).toContain('Usage: npm run souk -- doctor [URL] [--json]');
});
