import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSouk } from '#operator/cli/testing/run-souk.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { serverCommands } from './server-commands.ts';
import { testManifestCommand } from './manifests/test-manifest.ts';

let folder: string;
let fixture: HttpFixture;
let app: TestApp;
let operator: OperatorServer;

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'servers-'));
  fixture = await startHttpFixture('legacy');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  operator = await createOperatorServer({
    dataDir: app.dataDir,
    commands: { ...testManifestCommand(app), ...serverCommands(app) },
    log: createLog('silent'),
  });
  await deployManifest(app, { id: 'web', connection: { type: 'http', url: fixture.url } });
});
afterAll(async () => {
  await operator?.stop();
  await app?.stop();
  await fixture?.close();
  await rm(folder, { recursive: true, force: true });
});

const souk = (...argv: string[]) => runSouk(argv, { environment: { DATA_DIR: app.dataDir } });

test('manifest test prints each step of a stored version, and its findings', async () => {
  const { code, out } = await souk('manifest', 'test', 'web');
  expect(code).toBe(0);
  expect(out).toMatch(/^manifest {3}ok {5}web 1\.0\.0 \(\d+ ms\)$/m);
  expect(out).toMatch(/^tls {8}- {6}No TLS/m);
  expect(out).toMatch(/^initialize ok {5}fixture 1\.0\.0, protocol 2025-11-25/m);
  expect(out).toMatch(/^ {4}echo: It has no description/m);
  expect(out).toMatch(/^passed: A deployment would work\. \(\d+ ms\)$/m);
});

test('manifest test of a file fails with its reason, and --json prints all events', async () => {
  const file = join(folder, 'broken.json');
  await writeFile(file, JSON.stringify({ id: 'broken' }));
  const { code, out } = await souk('manifest', 'test', file);
  expect([code, out]).toEqual([1, expect.stringContaining('FAILED Invalid manifest: Missing required fields')]);
  const asJson = await souk('manifest', 'test', file, '--json');
  expect([asJson.code, JSON.parse(asJson.out).events.at(-1)]).toEqual([
    1,
    expect.objectContaining({ result: 'failed' }),
  ]);
  expect(await souk('manifest', 'test', 'unknown')).toMatchObject({ code: 1, err: expect.stringContaining('unknown') });
});

test('server show prints the status and figures of a server, and --json the same as data', async () => {
  const { code, out } = await souk('server', 'show', 'web');
  expect(code).toBe(0);
  expect(out).toMatch(/^connected since 2\d{3}-/m);
  expect(out).toContain('0 answered calls, 0 failed by the server, 0 refused or canceled');
  expect(JSON.parse((await souk('server', 'show', 'web', '--json')).out)).toMatchObject({ month: { calls: 0 } });
  expect(await souk('server', 'show', 'unknown')).toMatchObject({
    code: 1,
    err: 'The broker refused: There is no manifest of unknown.',
  });
});
