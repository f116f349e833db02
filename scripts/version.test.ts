import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientInfo } from '../apps/broker/src/adapters/mcp/connect/client-identity.ts';
import { runSouk } from '../apps/broker/src/operator/cli/testing/run-souk.ts';
import { version } from '../apps/broker/src/version.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('every package, the lockfile, the image, the chart, our clients and souk --version have one version, and CHANGELOG.md begins with it', async () => {
  const packages = globSync(['package.json', '{apps,packages,services}/*/package.json', 'bench/package.json'], {
    cwd: root,
  });
  expect(packages.length).toBeGreaterThan(8);
  for (const path of packages) expect(JSON.parse(read(path)).version, path).toBe(version);
  expect(JSON.parse(read('package-lock.json')).version).toBe(version);
  expect(read('deploy/Dockerfile')).toContain(`ARG VERSION=${version}\n`);
  expect(read('deploy/chart/Chart.yaml')).toContain(`appVersion: ${version}\n`);
  expect(clientInfo.version).toBe(version);
  expect(await runSouk(['--version'], { environment: {} })).toEqual({ code: 0, out: version, err: '' });
  const [, newest] = /^## \[([^\]]+)\]/m.exec(read('CHANGELOG.md')) ?? [];
  expect(newest).toBe(version);
});
