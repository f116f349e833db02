import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { fieldMeanings } from '@souk/contract/manifest/manifest-fields.ts';
import { endpoints, openApiDocument } from '../openapi.ts';
import { version } from '../version.ts';
import { exampleOf } from './example-of.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { BRAND_NAME: 'Sou<k' } });
});
afterAll(() => app?.stop());

const pathOf = (path: string) => path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
const bodies = endpoints.flatMap(({ id, body }) => (body ? [{ id, body }] : []));

test('the contract accepts each example of a body', () => {
  const refused = bodies.flatMap(({ id, body }) => {
    const { error } = body.safeParse(exampleOf(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })));
    return error ? [`${id}: ${z.prettifyError(error)}`] : [];
  });
  expect(bodies.length).toBeGreaterThan(40);
  expect(refused).toEqual([]);
});

test('each parameter of each call has a description', () => {
  const parameter = z.object({ name: z.string(), description: z.string().optional() });
  const document = z.object({
    paths: z.record(z.string(), z.record(z.string(), z.object({ parameters: z.array(parameter) }))),
  });
  const { paths } = document.parse(JSON.parse(JSON.stringify(openApiDocument(version))));
  const all = Object.entries(paths).flatMap(([path, calls]) =>
    Object.values(calls).flatMap(({ parameters }) => parameters.map((one) => ({ path, ...one }))),
  );
  expect(all.length).toBeGreaterThan(150);
  expect(all.filter(({ description = '' }) => description === '')).toEqual([]);
});

test('/openapi.json describes the contract at this address, and is readable by programs of any origin', async () => {
  const answer = await fetch(`${app.publicUrl}/openapi.json`, { headers: { origin: 'https://elsewhere.example' } });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument(version, app.publicUrl))));
  const again = await fetch(`${app.publicUrl}/openapi.json`, {
    headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
});

test('/docs/manifests shows each field and each example of a manifest, without a script of its own', async () => {
  const answer = await fetch(`${app.publicUrl}/docs/manifests`);
  const html = await answer.text();
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toContain(`default-src 'none'; script-src 'self'`);
  expect(html.match(/<script[^>]*>/g)).toEqual(['<script src="/oauth/theme.js">']);
  for (const field of Object.keys(fieldMeanings)) expect(html).toContain(`<th scope="row"><code>${field}</code></th>`);
  expect(html.match(/<pre><code>/g)?.length).toBe(9);
  expect(html, 'no Markdown syntax is left').not.toMatch(/^(#|\||- |```)|\*\*|<code><\/code>/m);
  expect(html).toContain('<code>^[A-Z]{3}$</code>');
});

test('/docs/api shows each call with an example to copy, and runs no script but that of the theme', async () => {
  const answer = await fetch(`${app.publicUrl}/docs/api`);
  const html = await answer.text();
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toContain(`default-src 'none'; script-src 'self'`);
  expect(html.match(/<script[^>]*>/g)).toEqual(['<script src="/oauth/theme.js">']);
  expect(html).not.toContain('Sou<k');
  for (const { id, method, path } of endpoints) {
    expect(html).toContain(`<details id="${id}">`);
    expect(html).toContain(`<code>${method} ${pathOf(path)}</code>`);
  }
  const [, command = ''] = /<details id="getCapabilities">[^]*?<pre><code>([^<]*)</.exec(html) ?? [];
  expect(command).toBe(`curl &#39;${app.publicUrl}/mcp/capabilities&#39;`);
});
