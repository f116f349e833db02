import { expect, test } from 'vitest';
import { inBackground } from '#platform/db/background-work.ts';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { startHttpFixture } from '#testing/servers/mcp-fixture.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../migrations.ts';

describeOnPostgres('background connections', migrations, (open) => {
  test('while all of them are in use, users sign in and pay for calls, and a discovery waits', async () => {
    const db = await open();
    const fixture = await startHttpFixture('modern');
    const app = await startTestApp({ db, allowAddresses: [fixture.address] });
    const connection = { type: 'http', url: fixture.url };
    await deployManifest(app, { id: 'paid', connection, billing: { tier: 'T0', toolCosts: { echo: 2 } } });
    const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    await giveCredits(app, 'ann@souk.test', 10);

    const released = Promise.withResolvers<void>();
    let holding = 0;
    const held = Array.from({ length: 2 }, () =>
      inBackground(() =>
        db.transaction(async (query) => {
          await query('select 1');
          holding++;
          await released.promise;
        }),
      ),
    );
    await waitUntil('all background connections to be in use', () => holding === 2);
    await deployManifest(app, { id: 'later', connection }, 'unasked');
    await waitUntil(
      'its discovery to have its lists',
      () => fixture.seen.requests.filter(({ method }) => method === 'tools/list').length >= 2,
    );

    const browser = new ScriptedBrowser(app.publicUrl);
    expect((await browser.signInWeb({ email: 'bea@souk.test' })).accessToken).toBeTruthy();
    const call = { name: 'paid__echo', arguments: { text: 'hi' } };
    const { body } = await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', call);
    expect(body.result).toMatchObject({ content: [{ text: 'hi' }] });
    expect(app.catalogue.snapshot().byId.get('later')?.discoveredAtMs).toBeUndefined();

    released.resolve();
    await Promise.all(held);
    await waitUntil(
      'the other server to be stored',
      () => app.catalogue.snapshot().byId.get('later')?.status === 'connected',
    );
    await app.stop();
    await fixture.close();
  });
});
