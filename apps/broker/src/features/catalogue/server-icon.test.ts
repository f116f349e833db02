import { getCapabilities } from '@souk/contract/catalogue.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

test("[HOME-6] the catalogue gives each server's icon: an https address, or a path of this installation", async () => {
  const icons = { secure: 'https://icons.example/secure.png', own: '/oauth/mark.svg', script: 'javascript:alert(1)' };
  for (const [id, icon] of Object.entries(icons)) {
    await deployManifest(app, { id, icon, connection: { type: 'http', url: 'http://127.0.0.1:9/mcp' } }, 'error');
  }
  const answer = await fetch(`${app.publicUrl}/mcp/capabilities`);
  const { servers } = getCapabilities.answer.parse(await answer.json());
  const iconOf = (id: string) => servers.find(({ serverId }) => serverId === id)?.metadata.icon;
  expect([iconOf('secure'), iconOf('own'), iconOf('script')]).toEqual([icons.secure, icons.own, undefined]);
});
