import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { findOnPath } from '../apps/broker/src/testing/network/find-on-path.ts';

const deploy = join(import.meta.dirname, '../deploy');
const analyze = findOnPath('systemd-analyze');
if (analyze === undefined) process.stdout.write('[deploy] SKIPPED: systemd-analyze is not installed\n');

/** Adapts the unit to this machine: Node has another path, and /opt/souk may not exist. */
async function unitHere(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'souk-unit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const unit = await readFile(join(deploy, 'souk.service'), 'utf8');
  const path = join(folder, 'souk.service');
  await writeFile(path, unit.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`));
  return path;
}

/** Returns the complaints of systemd about a unit. */
async function verify(path: string): Promise<string> {
  const { stderr } = await promisify(execFile)(analyze ?? '', ['verify', '--man=no', path], {
    // the other units of this machine are not checked
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${join(path, '..')}:` },
  });
  return stderr;
}

test.skipIf(analyze === undefined)(
  'systemd accepts the unit without a complaint, also with the drop-in for stdio servers',
  async () => {
    const path = await unitHere();
    expect(await verify(path)).toBe('');
    await mkdir(`${path}.d`);
    await writeFile(join(`${path}.d`, 'stdio.conf'), await readFile(join(deploy, 'souk-stdio.conf'), 'utf8'));
    expect(await verify(path)).toBe('');
  },
);

test.skipIf(analyze === undefined)('systemd rates the exposure of the unit below 2.5, as its page says', async () => {
  const args = ['security', '--offline=true', '--no-pager', '--threshold=25', await unitHere()];
  // above the threshold it exits with 1
  await expect(promisify(execFile)(analyze ?? '', args)).resolves.toMatchObject({ stderr: '' });
});
