import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registryEndpoints } from '@souk/contract/catalogue/registry.ts';
import { serverCardEndpoints } from '@souk/contract/catalogue/server-card.ts';
import { z } from 'zod';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { endpoints, openApiDocument } from '../openapi.ts';
import { version } from '../version.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

test('every endpoint of the contract is served by exactly one route', () => {
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).sort();
  expect(ids(app.router.served)).toEqual(ids(endpoints));
  expect(new Set(ids(endpoints)).size).toBe(endpoints.length);
  const addresses = endpoints.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(addresses).size).toBe(addresses.length);
});

test('openapi.json is current: npm run openapi writes it', () => {
  const stored: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../openapi.json'), 'utf8'));
  expect(stored).toEqual(JSON.parse(JSON.stringify(openApiDocument(version))));
});

test('[GEN-35] the fields of every response are named in camelCase', () => {
  const named: string[] = [];
  const read = (schema: unknown, where: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if ('properties' in schema) {
      named.push(...Object.keys(schema.properties ?? {}).map((field) => `${where} ${field}`));
    }
    for (const part of Object.values(schema)) read(part, where);
  };
  // the names in server.json and the registry API are not ours
  const foreign = new Set([...registryEndpoints, ...serverCardEndpoints].map(({ id }) => id as string));
  const own = endpoints.filter(({ id }) => !foreign.has(id));
  for (const { id, answer } of own) read(z.toJSONSchema(answer, { unrepresentable: 'any' }), id);
  expect(named.length).toBeGreaterThan(300);
  expect(named.filter((field) => !/^\w+ [a-z][a-zA-Z0-9]*$/.test(field))).toEqual([]);
});

test('[GEN-29] no response lets another origin read it with credentials', async () => {
  const pages = ['/', '/dashboard', '/login', '/oauth/authorize', '/oauth/token', '/oauth/userinfo', '/oauth/jwks'];
  const links = ['/mcp', '/s/travel/mcp', '/.well-known/oauth-authorization-server', '/healthz'];
  const calls = endpoints.map(({ path }) => path.replaceAll(/:\w+/g, 'x'));
  for (const path of [...pages, ...links, ...calls]) {
    for (const method of ['OPTIONS', 'GET']) {
      const headers = {
        origin: 'https://evil.test',
        'access-control-request-method': 'POST',
        cookie: 'souk_refresh=x',
      };
      const answer = await fetch(app.publicUrl + path, { method, headers, redirect: 'manual' });
      await answer.body?.cancel();
      const { headers: said } = answer;
      expect(said.get('access-control-allow-credentials'), `${method} ${path}`).toBeNull();
      // without credentials everyone may read what public clients need
      expect([null, '*'], `${method} ${path}`).toContain(said.get('access-control-allow-origin'));
    }
  }
});
