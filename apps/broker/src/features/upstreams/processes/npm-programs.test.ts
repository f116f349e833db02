import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { readConfig } from '#platform/config.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startConnectProxy } from '#testing/network/connect-proxy.ts';
import { startPackageRegistry, type PackageRegistry } from '#testing/servers/package-registry.ts';
import { sandboxProblem } from '#testing/network/sandbox-works.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { createManualTime } from '../testing/manual-time.ts';
import { createPackageInstaller, type PackageInstaller } from './package-installer.ts';

const spec = '@souk-test/small@1.0.0';
const id = '@souk-test+small@1.0.0';
let folder: string;
let registry: PackageRegistry;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'npm-'));
  registry = await startPackageRegistry(folder);
  const { PATH, HOME } = process.env;
  environment = { PATH, HOME, npm_config_registry: registry.url, npm_config_fetch_retries: '0', SECRET: 'canary' };
});
afterAll(async () => {
  await registry?.close();
  await rm(folder, { recursive: true, force: true });
});

const programsIn = (dataDir: string) => readdirSync(join(dataDir, 'programs')).toSorted();

test('a package is installed when a manifest that uses it is deployed, without its scripts, and runs from there', async () => {
  const stdioAllowlist = join(folder, 'allowlist.json');
  await writeFile(stdioAllowlist, JSON.stringify({ fault: { npm: spec } }));
  const app: TestApp = await startTestApp({ paths: { stdioAllowlist }, environment });
  try {
    expect(existsSync(join(app.dataDir, 'programs'))).toBe(false);
    await deployManifest(app, { id: 'fault', slug: 'fault', connection: { type: 'stdio', command: 'fault' } });
    expect(programsIn(app.dataDir)).toEqual([id, 'locks']);
    const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    const client = await connectModern(`${app.publicUrl}/mcp`, token);
    const own = join(app.dataDir, 'programs', id, 'x');
    const found = await client.callTool({ name: 'fault__look', arguments: { writable: [own] } });
    expect(JSON.stringify(found.content)).toContain(sandboxProblem() === undefined ? 'EROFS' : 'yes');
    await client.close();
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  } finally {
    await app.stop();
  }
});

test.each(['undeployed', 'stopped'] as const)(
  'an installation that ends because its server was undeployed, or the broker stopped, is not a failed discovery (%s)',
  async (how) => {
    const stdioAllowlist = join(folder, 'allowlist.json');
    await writeFile(stdioAllowlist, JSON.stringify({ fault: { npm: spec } }));
    const app = await startTestApp({ paths: { stdioAllowlist }, environment });
    const asked = registry.hold();
    try {
      await deployManifest(app, { id: 'leaving', connection: { type: 'stdio', command: 'fault' } }, 'unasked');
      const release = await asked;
      if (how === 'undeployed') {
        await app.catalogue.undeploy('leaving', { via: 'command' });
        registry.fail(503);
      } else {
        await app.stop();
      }
      release();
      const heard = () => app.upstreams.programs.linesOf('leaving').join();
      await waitUntil('the installation to end', () => heard().includes('could not be installed'));
      expect(app.logged()).not.toMatch(/"server":"leaving".*(?:discovery failed|upstream down)/);
    } finally {
      registry.fail(undefined);
      if (how === 'undeployed') await app.stop();
    }
  },
);

async function withInstaller(
  use: (installer: PackageInstaller, dataDir: string, time: ReturnType<typeof createManualTime>) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const time = createManualTime();
  // the machine's clock is set back while time passes
  const clock = { now: () => -time.clock.now(), monotonic: time.clock.now };
  const installer = createPackageInstaller({ dataDir, wanted: [spec], environment, clock });
  await use(installer, dataDir, time).finally(() => installer.stop());
}

test('a package is fetched only through the configured proxy, even if the environment says otherwise, and without it from a registry of this machine', async () => {
  const proxy = await startConnectProxy();
  proxy.places.set('registry.test', Number(new URL(registry.url).port));
  const { outgoingProxy } = readConfig({ HTTP_PROXY: proxy.url });
  for (const [url, isAsked] of [
    ['http://registry.test/', true],
    [registry.url, false],
  ] as const) {
    const dataDir = await mkdtemp(join(folder, 'data-'));
    const installer = createPackageInstaller({
      dataDir,
      wanted: [spec],
      environment: { ...environment, npm_config_registry: url, http_proxy: 'http://127.0.0.1:1' },
      proxy: outgoingProxy,
      clock: createManualTime().clock,
    });
    await installer.install(spec);
    await installer.stop();
    expect(proxy.asked.splice(0).length > 0, url).toBe(isAsked);
  }
  await proxy.close();
});

test('concurrent installations of one package run once, and a later one must have the same contents', () =>
  withInstaller(async (installer, dataDir) => {
    const before = registry.downloads();
    await Promise.all([installer.install(spec), installer.install(spec), installer.install(spec)]);
    expect(registry.downloads() - before).toBe(1);
    expect(() => installer.find(spec, 'other')).toThrow('name the command of the package');
    expect(installer.find(spec, undefined).file).toMatch(/\/@souk-test\/small\/main\.mjs$/);
    await rm(join(dataDir, 'programs', id), { recursive: true });
    registry.replacePackage();
    await expect(installer.install(spec)).rejects.toMatchObject({ kind: 'not_set_up' });
    await expect(installer.install(spec)).rejects.toThrow('EINTEGRITY');
    expect(programsIn(dataDir)).toEqual(['locks']);
  }));

test("a failure leaves nothing, shows npm's last lines, and is retried after 30 s", () =>
  withInstaller(async (installer, dataDir, time) => {
    registry.fail(503);
    await expect(installer.install(spec)).rejects.toThrow(/could not be installed: .*503/);
    expect(programsIn(dataDir)).toEqual(['locks']);
    registry.fail(undefined);
    await expect(installer.install(spec)).rejects.toThrow('503');
    time.pass(30_000);
    await installer.install(spec);
    expect(installer.isInstalled(spec)).toBe(true);
  }));

test('no address but the registry is contacted, even if a package or the lock file of an earlier release names one', () =>
  withInstaller(async (installer, dataDir, time) => {
    const elsewhere = new URL('small-1.0.0.tgz', registry.url.replace('127.0.0.1', 'localhost')).href;
    let before = registry.downloads();
    // an older npm may contact the address, and what it fetched is refused afterwards
    const npmRefuses = await isNpmSince(11, 14);
    const refusal = npmRefuses ? /could not be installed: npm error code EALLOW/ : /could not be installed|registry/;
    try {
      for (const address of [elsewhere, `github:souk-test/other#${'0'.repeat(40)}`]) {
        registry.dependOn({ other: address });
        await expect(installer.install(spec)).rejects.toThrow(refusal);
        time.pass(3_600_000);
      }
    } finally {
      registry.dependOn({});
    }
    expect(registry.downloads() === before || !npmRefuses).toBe(true);
    expect(programsIn(dataDir)).toEqual(['locks']);

    before = registry.downloads();
    await installer.install(spec);
    const lock = join(dataDir, 'programs', 'locks', `${id}.json`);
    const locked = JSON.parse(await readFile(lock, 'utf8'));
    locked.packages[`node_modules/@souk-test/small`].resolved = elsewhere;
    await writeFile(lock, JSON.stringify(locked));
    await rm(join(dataDir, 'programs', id), { recursive: true });
    await expect(installer.install(spec)).rejects.toThrow('does not come from the registry');
    expect(registry.downloads()).toBe(before + 1);
  }));

async function isNpmSince(major: number, minor: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('npm', ['--version']);
  const [ofNpm = 0, minorOfNpm = 0] = stdout.split('.').map(Number);
  return ofNpm > major || (ofNpm === major && minorOfNpm >= minor);
}
