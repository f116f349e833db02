import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

let app: TestApp;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'web-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(
    join(folder, 'index.html'),
    '<meta name="souk-config" content="{}"><title>Souk</title><div id="root"></div>',
  );
  await writeFile(join(folder, 'assets/index-1a2b.js'), 'export {};');
  await writeFile(join(folder, 'secret.txt'), 'not an asset');
  app = await startTestApp({ webFolder: folder, env: { BRAND_NAME: 'Bazaar "<1>', SUPPORT_EMAIL: 'help@souk.test' } });
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml' } };
const open = (path: string, init: RequestInit = asBrowser) => fetch(`${app.publicUrl}${path}`, init);

test('[CFG-10] [CFG-11] [GEN-33] the page of every screen tells the app its name and contacts, as text', async () => {
  for (const path of ['/', '/marketplace?q=x', '/search', '/service/travel', '/dashboard', '/auth/callback?code=1']) {
    const answer = await open(path);
    const html = await answer.text();
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(html).toContain('<title>Bazaar &#34;&#60;1&#62;</title>');
    const content = /content="([^"]*)"/.exec(html)?.[1] ?? '';
    const settings: unknown = JSON.parse(
      content.replaceAll(/&#(\d+);/g, (_match, code) => String.fromCharCode(Number(code))),
    );
    expect(settings).toEqual({
      brandName: 'Bazaar "<1>',
      supportEmail: 'help@souk.test',
      businessEmail: 'business@souk.test',
      publicUrl: app.publicUrl,
    });
  }
});

test('an address without a screen is the page with status 404 for a browser, and the JSON error for a program', async () => {
  const page = await open('/no/such/screen');
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  const json = await open('/no/such/screen', {});
  expect([json.status, await json.json()]).toEqual([404, { success: false, code: 'not_found', message: 'Not found' }]);
  expect((await open('/no/such/screen', { method: 'POST', ...asBrowser })).headers.get('content-type')).toContain(
    'json',
  );
});

test('assets are kept for ever, and nothing beside them is served', async () => {
  const asset = await open('/assets/index-1a2b.js');
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('content-type')).toContain('javascript');
  for (const path of ['/assets/none.js', '/assets/..%2Fsecret.txt', '/assets/../secret.txt', '/secret.txt']) {
    const answer = await open(path, {});
    expect(answer.status, path).toBe(404);
    expect(await answer.text()).not.toContain('not an asset');
  }
});
