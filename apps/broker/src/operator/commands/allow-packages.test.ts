import { mkdtemp, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { previewImport } from '@souk/contract/admin/imports.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSouk } from '#operator/cli/testing/run-souk.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { startPackageRegistry, type PackageRegistry } from '#testing/servers/package-registry.ts';
import { sandboxProblem } from '#testing/network/sandbox-works.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { allowCommands } from './allow-commands.ts';

const wanted = '@souk-test/small@1.0.0';

describe.skipIf(sandboxProblem() !== undefined)('packages by command', () => {
  let folder: string;
  let registry: PackageRegistry;
  let app: TestApp;
  let operator: OperatorServer;
  let accessToken: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(temporaryRoot(), 'allow-'));
    registry = await startPackageRegistry(folder);
    const { PATH, HOME } = process.env;
    app = await startTestApp({
      env: { ...withoutHealthChecks, ADMIN_MAY_ALLOW: 'packages' },
      environment: { PATH, HOME, npm_config_registry: registry.url, npm_config_fetch_retries: '0' },
    });
    ({ accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'admin@souk.test' }));
    const log = createLog('silent');
    operator = await createOperatorServer({ dataDir: app.dataDir, commands: allowCommands(app), log });
  });
  afterAll(async () => {
    await operator?.stop();
    await app?.stop();
    await registry?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const souk = (...argv: string[]) => runSouk(['allow', ...argv], { environment: { DATA_DIR: app.dataDir } });

  test('an import leads to the Allow List; the operator allows the package by command in two steps, and it is ready', async () => {
    const imports = createClient([previewImport] as const, {
      baseUrl: app.publicUrl,
      fetch,
      token: async () => accessToken,
    });
    const text = JSON.stringify({
      mcpServers: { tiny: { command: 'npx', args: ['-y', wanted, '--read-only'] } },
    });
    const entryOf = async () => (await imports.previewImport({ body: { text } })).entries[0];
    expect(await entryOf()).toMatchObject({
      id: 'tiny',
      result: 'blocked',
      allowPackage: wanted,
      reason: expect.stringMatching(
        /^its program is not on the allow-list of programs: allow @souk-test\/small@1\.0\.0 with the alias tiny under Allow List, or the operator adds the entry below to /,
      ),
    });
    const shown = await souk('package', 'tiny', wanted, '--', '--read-only');
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toMatch(/^@souk-test\/small@1\.0\.0 {2}sha512-\S+ {2}with 0 other packages, network none$/m);
    const code = / --shown (\w+) /.exec(shown.out)?.[1] ?? '';
    expect(await souk('package', 'tiny', wanted, '--shown', code)).toMatchObject({
      code: 1,
      err: expect.stringContaining('has changed since it was shown'),
    });
    expect((await souk('package', 'tiny', '@souk-test/small@latest')).err).toContain(
      'must be a package at an exact version',
    );
    expect((await souk('package', 'tiny', wanted, '--env', '{')).code).toBe(64);
    expect(app.allowances.programs().has('tiny')).toBe(false);
    expect(await souk('package', 'tiny', wanted, '--shown', code, '--', '--read-only')).toEqual({
      code: 0,
      out: 'tiny is allowed: manifests can start it',
      err: '',
    });
    expect((await souk('list')).out).toContain('tiny  @souk-test/small@1.0.0, network none  added ');
    expect(await entryOf()).toMatchObject({ id: 'tiny', result: 'ready' });
    const { rows } = await app.db.query(
      `select actor_id, details ->> 'operator' as operator from audit_log where subject = 'tiny' and action = 'package.allowed'`,
    );
    expect(rows).toEqual([{ actor_id: null, operator: userInfo().username }]);
  });
});
