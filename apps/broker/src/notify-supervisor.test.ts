import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { createLog } from '#platform/log.ts';
import { notifySupervisor } from './notify-supervisor.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'souk-notify-'));
  // in place of systemd's own, which needs a running systemd
  const script = `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${folder}/heard\n`;
  await writeFile(join(folder, 'systemd-notify'), script, { mode: 0o755 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const heard = () => readFile(join(folder, 'heard'), 'utf8').catch(() => '');
const NOTIFY_SOCKET = '/run/systemd/notify';

test('systemd is notified that the broker is ready, then of heartbeats, and that it stops', async () => {
  const environment = { NOTIFY_SOCKET, WATCHDOG_USEC: '150000', PATH: `${folder}:/usr/bin:/bin` };
  const supervisor = notifySupervisor(environment, createLog('silent'));
  expect(await heard()).toBe('');
  supervisor.ready();
  await waitUntil('two heartbeats', async () => (await heard()).split('WATCHDOG=1').length > 2);
  supervisor.stopping();
  await waitUntil('the stop', async () => (await heard()).includes('STOPPING=1'));
  expect(await heard()).toContain(`${NOTIFY_SOCKET} READY=1\n`);
  expect(await heard()).toContain(`${NOTIFY_SOCKET} WATCHDOG=1\n`);
  supervisor.stop();
});

test('a broker that cannot notify systemd says so once', async () => {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line: string) => void lines.push(line) });
  const supervisor = notifySupervisor({ NOTIFY_SOCKET, WATCHDOG_USEC: '30000', PATH: join(folder, 'nowhere') }, log);
  supervisor.ready();
  await waitUntil('a failure', () => lines.length > 0);
  supervisor.stopping();
  supervisor.stop();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the state of the broker could not be reported to systemd');
});
