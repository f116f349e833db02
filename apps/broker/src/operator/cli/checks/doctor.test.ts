import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemCommand } from '#operator/commands/system-command.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer } from '#platform/operator/operator-server.ts';
import { startMailServer } from '#testing/servers/mail-server.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { runSouk } from '../testing/run-souk.ts';

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

test('without an address doctor asks the broker of the data folder, and does not guess one', async () => {
  const operator = await createOperatorServer({
    dataDir: app.dataDir,
    commands: systemCommand(app),
    log: createLog('silent'),
  });
  try {
    const asked = await run([], { DATA_DIR: app.dataDir });
    expect(asked.out).toContain(`Examining ${app.publicUrl}\n`);
    expect(asked.code).toBe(0);
  } finally {
    await operator.stop();
  }
  const { code, out, err } = await run([], { DATA_DIR: app.dataDir });
  expect({ code, out }).toEqual({ code: 64, out: '' });
  expect(err).toContain(`No broker runs on the data folder ${app.dataDir}, so its address is unknown. Name it:`);
});

test('doctor accepts any address of an installation, such as the link, without a configuration', async () => {
  const { code, out } = await run([`${app.publicUrl}/mcp`], { PORT: 'not a port' });
  expect(code).toBe(0);
  expect(out).toContain(`Examining ${app.publicUrl}\n`);
});

test('doctor names a fault with what to do, once, and exits with 1', async () => {
  const address = app.publicUrl.replace('localhost', '127.0.0.1');
  const { code, out } = await run([address]);
  expect(code).toBe(1);
  expect(out).toContain(
    'FAULT  PUBLIC_URL is the address that users open: Wrong PUBLIC_URL: the installation believes',
  );
  expect(out).toContain(`What to do: Set PUBLIC_URL=${address} and restart`);
  expect(out).toMatch(/1 fault found\.$/);
});

test('doctor and check-config say whether the mail server and the receiver of alerts work, and send nothing', async () => {
  const mail = await startMailServer();
  const environment = {
    PUBLIC_URL: app.publicUrl,
    SMTP_URL: mail.url,
    ALERT_WEBHOOK_URL: `${app.publicUrl.replace('localhost', '127.0.0.1')}/canary`,
  };
  const { out } = await run([], environment);
  expect(out).toContain('ok     The mail server accepts e-mails: Connected and signed in; nothing was sent.');
  expect(out).toContain('FAULT  The alert webhook can be reached: 127.0.0.1:');
  expect(out).not.toContain('canary');
  const UPSTREAM_ALLOW_ADDRESSES = new URL(environment.ALERT_WEBHOOK_URL).host;
  expect((await run([], { ...environment, UPSTREAM_ALLOW_ADDRESSES })).out).toContain(
    'ok     The alert webhook can be reached: Connected; nothing was sent.',
  );
  await mail.stop();
  expect((await run([], environment)).out).toContain('FAULT  The mail server accepts e-mails: ');
  const checked = await runSouk(['check-config'], { environment: { ...environment, DATA_DIR: app.dataDir } });
  expect(checked.err).toContain('Warning: SMTP_URL: the mail server cannot be used: ');
  expect(mail.received).toEqual([]);
});

test('doctor with an address and the variables of its installation also examines what they name', async () => {
  const environment = { PUBLIC_URL: app.publicUrl, ALERT_WEBHOOK_URL: 'http://127.0.0.1:9/canary' };
  const receiver = 'FAULT  The alert webhook can be reached: ';
  expect((await run([`${app.publicUrl}/mcp`], environment)).out).toContain(receiver);
  expect((await run([`${app.publicUrl}/mcp`])).out).not.toContain('The alert webhook');
  const other = { ...environment, PUBLIC_URL: 'http://localhost:9' };
  expect((await run([app.publicUrl], other)).out).not.toContain('The alert webhook');
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
