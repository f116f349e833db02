import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../apps/broker/src/platform/config.ts';
import { disclosure } from '../../apps/broker/src/platform/config/disclosure.ts';
import { apiDocs } from './api-docs.ts';
import { cliDocs } from './cli-docs.ts';
import { configDocs } from './config-docs.ts';
import { envExample } from './env-example.ts';
import { retentionDocs } from './retention-docs.ts';
import { variableGroups } from './variables.ts';

const root = join(import.meta.dirname, '../..');
const pageOf = (path: string) => readFileSync(join(root, path), 'utf8');

test('the generated pages are up to date: npm run config-docs writes them', async () => {
  expect(pageOf('docs/configuration.md')).toBe(configDocs());
  expect(pageOf('.env.example')).toBe(envExample());
  expect(pageOf('docs/retention.md')).toBe(retentionDocs());
  expect(pageOf('docs/cli.md')).toBe(await cliDocs());
  expect(pageOf('docs/api.md')).toBe(apiDocs());
});

test('each variable of the schema is described once', () => {
  const described = variableGroups.flatMap(({ variables }) => Object.keys(variables));
  expect(described.toSorted()).toEqual(Object.keys(disclosure).toSorted());
});

test('defaults that the page describes in its own words are in effect', () => {
  const { settings } = readConfig({});
  const inForce = new Map(settings.map(({ name, value }) => [name, value]));
  const page = configDocs();
  const production = readConfig({
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://souk.example',
    DATABASE_URL: 'postgres://db/souk',
    MASTER_KEY: 'Zm9yLXRlc3RzLW9mLXRoZS1wYWdlLW9mLXZhcmlhYmw',
    PAYMENTS: 'off',
    GOOGLE_CLIENT_ID: 'id',
    GOOGLE_CLIENT_SECRET: 'secret',
  });
  const rowOf = (name: string) => page.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? '';
  for (const name of ['HOST', 'ADMIN_EMAILS', 'STDIO', 'LOG_LEVEL', 'DRAIN_GRACE_MS', 'PROXY_KEEP_ALIVE_MS']) {
    expect(rowOf(name), name).toContain(String(inForce.get(name)));
  }
  const ofProduction = new Map(production.settings.map(({ name, value }) => [name, value]));
  for (const name of ['HOST', 'STDIO', 'LOG_LEVEL', 'DRAIN_GRACE_MS', 'PROXY_KEEP_ALIVE_MS'])
    expect(rowOf(name), name).toContain(String(ofProduction.get(name)));
});
