import { adminManifestRunEndpoints } from '@souk/contract/admin/manifest-runs.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { fixtureTools, startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

// A reload right after a server was deployed or queried. The clock is stopped, so the 10 s do not pass.

let app: TestApp;
let fixture: HttpFixture;
const nowMs = Date.parse('2026-11-20T12:00:00Z');

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    clock: { now: () => nowMs, monotonic: () => nowMs },
    env: withoutHealthChecks,
  });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

test('[MAN-31] [MAN-36] each requested reload queries each server immediately, however soon after its deployment', async () => {
  await deployManifest(app, { id: 'fresh', connection: { type: 'http', url: fixture.url } });
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'admin@souk.test' });
  const admin = createClient(adminManifestRunEndpoints, {
    baseUrl: app.publicUrl,
    fetch,
    token: async () => accessToken,
  });
  const offered = () => {
    const server = app.catalogue.snapshot().byId.get('fresh');
    return [...(server?.tools ?? []), ...(server?.toolsUnderReview ?? [])].map(({ name }) => name);
  };
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
  for (const added of [['second'], ['second', 'third']]) {
    fixture.setTools([...fixtureTools, ...added.map(tool)]);
    expect(await admin.reloadManifests()).toMatchObject({ reloadedCount: 1, errors: [] });
    expect(offered(), 'when the response comes').toEqual(expect.arrayContaining(added));
  }
});
