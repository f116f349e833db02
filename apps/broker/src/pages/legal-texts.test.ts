import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigError } from '#platform/config.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { paths } from '../paths.ts';
import { readLegalTexts } from './legal-texts.ts';

let folder: string;
let shop: TestApp;
let demo: TestApp;
beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'legal-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(
    join(folder, 'index.html'),
    '<head><meta name="souk-config" content="{}"><title>Souk</title></head><body><div id="root"></div></body>',
  );
  await writeFile(join(folder, 'terms.md'), '## Our **terms**\n\nPay & <b>leave</b>.\n');
  shop = await startTestApp({
    webFolder: folder,
    env: { PAYMENTS: 'off', TERMS_FILE: join(folder, 'terms.md') },
  });
  demo = await startTestApp({ webFolder: folder });
});
afterAll(async () => {
  await shop?.stop();
  await demo?.stop();
  await rm(folder, { recursive: true, force: true });
});

const open = async ({ publicUrl }: TestApp, path: string) => {
  const answer = await fetch(publicUrl + path);
  return { status: answer.status, text: await answer.text() };
};

test('a text that the operator provides is served to everyone, with first HTML and an entry in the sitemap; a page without a text does not exist', async () => {
  const { status, text } = await open(shop, '/terms');
  expect(status).toBe(200);
  expect(text).toContain('<h1>Terms</h1><p>Our terms</p><p>Pay &#38; &#60;b&#62;leave&#60;/b&#62;.</p>');
  expect(text).toContain('&#34;legal&#34;:[&#34;terms&#34;]');
  const served = JSON.parse((await open(shop, '/api/legal/terms')).text);
  expect(served).toEqual({
    success: true,
    page: 'terms',
    markdown: '## Our **terms**\n\nPay & <b>leave</b>.',
    isDemo: false,
  });
  expect((await open(shop, '/privacy')).status).toBe(404);
  expect((await open(shop, '/api/legal/privacy')).status).toBe(404);
  expect((await open(shop, '/api/legal/imprint')).status).toBe(400);
  const { text: sitemap } = await open(shop, '/sitemap.xml');
  expect(sitemap).toContain(`<loc>${shop.publicUrl}/terms</loc>`);
  expect(sitemap).not.toContain('/privacy');
});

test('the demo has its own texts that say so; a shop in production, or that takes money, has none of them', async () => {
  for (const page of ['terms', 'privacy', 'refunds']) {
    expect((await open(demo, `/${page}`)).text, page).toContain('<p>This is a demo.');
    expect(JSON.parse((await open(demo, `/api/legal/${page}`)).text), page).toMatchObject({ isDemo: true });
    expect((await open(demo, '/sitemap.xml')).text).toContain(`${demo.publicUrl}/${page}</loc>`);
  }
  const none = { terms: undefined, privacy: undefined, refunds: undefined };
  for (const [production, payments] of [
    [true, 'sandbox'],
    [true, 'stripe'],
    [false, 'stripe'],
  ] as const)
    expect(readLegalTexts({ legalFiles: none, production, payments }, paths.legal).size).toBe(0);
});

test('every unusable file is named with its variable', async () => {
  const [large, empty] = [join(folder, 'large.md'), join(folder, 'empty.md')];
  await writeFile(large, 'x'.repeat(200_001));
  await writeFile(empty, ' \n');
  const legalFiles = { terms: large, privacy: empty, refunds: join(folder, 'none.md') };
  const read = () => readLegalTexts({ legalFiles, production: true, payments: 'stripe' }, paths.legal);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`TERMS_FILE: ${large} has 200001 bytes, but the limit is 200000`);
  expect(read).toThrow(`PRIVACY_FILE: ${empty} is empty`);
  expect(read).toThrow(`REFUNDS_FILE: ${legalFiles.refunds} cannot be read (ENOENT)`);
  await writeFile(large, Buffer.from([0xff, 0xfe, 0x41]));
  expect(read).toThrow(`TERMS_FILE: ${large} is not UTF-8 text`);
});
