import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { paths } from '../../../paths.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => app?.stop());

const folder = join(paths.catalogue, 'deployed');
const iconOf = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(folder, file), 'utf8')).icon;

test('every bundled service has an icon that we drew, which is served as one and can run nothing', async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const icon = await iconOf(file);
    expect(icon, file).toBe(`/icons/bundled/${file.replace('.json', '.svg')}`);
    const answer = await fetch(`${app.publicUrl}${String(icon)}`);
    expect(answer.status, file).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'public, max-age=86400',
    });
    const drawing = await answer.text();
    expect(drawing, 'one family: a square of 48 with a white line').toMatch(/viewBox="0 0 48 48".*stroke="#fff"/);
    expect(drawing).not.toMatch(/<script|\son\w+=|href|style/);
  }
});

test('an unknown icon answers 404', async () => {
  for (const file of ['none.svg', '..%2Foffers.json', 'travel.png'])
    expect((await fetch(`${app.publicUrl}/icons/bundled/${file}`)).status, file).toBe(404);
});
