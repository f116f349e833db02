import { execFile, spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const run = promisify(execFile);
let template: string;
/** A copy of the script's folder for each test. */
let folder: string;

/** A product with one dependency, in a file, which requires a Node that does not exist: npm needs no network for it. */
beforeAll(async () => {
  template = folder = await mkdtemp(join(tmpdir(), 'souk-install-'));
  await mkdir(join(folder, 'scripts'));
  for (const name of ['ensure-installed.mjs', 'missing-packages.mjs', 'node-path.mjs'])
    await cp(join(import.meta.dirname, name), join(folder, 'scripts', name));
  await mkdir(join(folder, 'modern'));
  await write('modern/package.json', { name: 'modern', version: '1.0.0', engines: { node: '>=99' } });
  await run('npm', ['pack', '--silent', './modern'], { cwd: folder });
  // a workspace that needs another version has it in a separate folder
  await write('modern/package.json', { name: 'modern', version: '2.0.0' });
  await run('npm', ['pack', '--silent', './modern'], { cwd: folder });
  await mkdir(join(folder, 'part'));
  await write('part/package.json', {
    name: 'part',
    version: '1.0.0',
    dependencies: { modern: 'file:../modern-2.0.0.tgz' },
  });
  await write('package.json', {
    name: 'product',
    workspaces: ['part'],
    dependencies: { modern: 'file:./modern-1.0.0.tgz' },
  });
  await run('npm', ['install', '--package-lock-only', '--ignore-scripts', '--silent'], { cwd: folder });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'souk-install-'));
  await cp(template, folder, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));
afterAll(() => rm(template, { recursive: true, force: true }));

const write = (path: string, content: object) => writeFile(join(folder, path), JSON.stringify(content));
const install = (options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {}) =>
  run(process.execPath, [join(folder, 'scripts/ensure-installed.mjs')], { cwd: folder, ...options });

test('the first start installs without a warning of npm, and the next one does not install', async () => {
  const first = await install();
  expect(first.stdout).toContain('added 3 packages');
  expect(first.stdout + first.stderr).not.toMatch(/EBADENGINE|npm warn(?!.*Unknown user config)/i);
  expect((await install()).stdout).toBe('');
  // the state after a copy of only the root's packages
  const own = join(folder, 'part/node_modules');
  await rm(own, { recursive: true });
  expect((await install()).stdout).toContain('Installing dependencies');
  expect(JSON.parse(await readFile(join(own, 'modern/package.json'), 'utf8'))).toMatchObject({ version: '2.0.0' });
  expect((await install()).stdout).toBe('');
});

test('an error of npm is shown, with instructions, and ends the start', async () => {
  await rm(join(folder, 'modern-1.0.0.tgz'));
  // another hash, because npm has cached the file's own
  const lockfile = await readFile(join(folder, 'package-lock.json'), 'utf8');
  await writeFile(join(folder, 'package-lock.json'), lockfile.replace(/sha512-[^"]+/, `sha512-${'A'.repeat(86)}==`));
  const failed = await install().catch((error: { code: number; stderr: string }) => error);
  expect(failed).toMatchObject({ code: expect.any(Number) });
  expect(failed.stderr).toMatch(/npm (error|ERR!).*modern-1\.0\.0\.tgz/);
  expect(failed.stderr).toMatch(/npm (ci|install) failed: see above\./);
});

test('npm that exits early with code 0 runs again; if that does not help, it is an error, and again at the next start', async () => {
  const [fakeNpm, runs] = [join(folder, 'npm-cli.js'), join(folder, 'runs')];
  await writeFile(fakeNpm, `require('node:fs').appendFileSync(${JSON.stringify(runs)}, process.argv[2] + ' ')`);
  const env = { ...process.env, npm_execpath: fakeNpm };
  await mkdir(join(folder, 'node_modules')); // the state after an interrupted installation
  const start = () => install({ env }).catch((error: { code: number; stderr: string }) => error);
  for (const ran of ['ci ci ', 'ci ci ci ci ']) {
    const failed = await start();
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stderr).toContain('did not install 2 of the packages, such as node_modules/modern.');
    expect(await readFile(runs, 'utf8')).toBe(ran);
  }
});

// root may write everywhere: then another user runs the start, who may not be able to read this Node, as in /root
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const canStart = spawnSync(process.execPath, ['-e', '0'], { ...user, cwd: '/' }).status === 0;
if (!canStart) process.stdout.write('SKIPPED: another user cannot run the Node of this checkout\n');

test.skipIf(!canStart)(
  'in a folder of another user, if packages are missing, the start says who has to run what',
  async () => {
    await rm(join(folder, 'node_modules'), { recursive: true, force: true });
    await chmod(folder, 0o555);
    const failed = await install(user).catch((error: { code: number; stdout: string; stderr: string }) => error);
    await chmod(folder, 0o755);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain(`you may not write to ${folder}. Run \`npm run build\` there once`);
    expect(failed.stderr).not.toMatch(/^ +at /m); // a stack
  },
);
