import { afterEach, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { challengeOf, ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describeOnDatabases('unfinished sign-ins', migrations, (open) => {
  let db: Database;
  let running: RunningIdentity | undefined;
  afterEach(() => running?.close());

  /** Starts a broker behind a proxy, with a client; `begin` starts a sign-in from an address. */
  async function start(options: { SIGN_IN_PER_MINUTE: string; mostInteractions?: number }) {
    db = await open();
    const { SIGN_IN_PER_MINUTE, ...rest } = options;
    running = await startIdentity({ db, environment: { SIGN_IN_PER_MINUTE, TRUST_PROXY: '127.0.0.1' }, ...rest });
    const { publicUrl } = running;
    const answer = await fetch(`${publicUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Editor', redirect_uris: ['https://app.example/cb'] }),
    });
    const { client_id }: { client_id: string } = JSON.parse(await answer.text());
    const address = new ScriptedBrowser(publicUrl).authorizeUrl({
      client_id,
      redirect_uri: 'https://app.example/cb',
      code_challenge: challengeOf('verifier'),
    });
    const begin = (from: string, browser = new ScriptedBrowser(publicUrl)) =>
      browser.request(address, { headers: { 'x-forwarded-for': from, accept: 'text/html' } });
    return { begin, browser: () => new ScriptedBrowser(publicUrl), publicUrl };
  }

  async function rows(): Promise<number> {
    const found = await db.query<{ count: number }>(
      `select count(*) as count from oauth_records where model = 'Interaction'`,
    );
    return found.rows[0]?.count ?? 0;
  }

  test('an address has a limit; above it a page says so, other addresses continue, and finished sign-ins make room', async () => {
    // the limit of fifteen minutes
    const { begin } = await start({ SIGN_IN_PER_MINUTE: '1' });
    const statuses = await Promise.all(Array.from({ length: 25 }, async () => (await begin('198.51.100.1')).status));
    // of concurrent requests some may be refused that would have been allowed sequentially
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10);
    for (let n = 0; n < 15; n++) await begin('198.51.100.1');
    expect(await rows()).toBe(15);

    const refused = await begin('198.51.100.1');
    expect(refused.headers.get('content-type')).toContain('text/html');
    // until the oldest expires
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(900);
    expect(await refused.text()).toContain('Too many sign-ins were begun from your network and not finished.');
    expect((await begin('198.51.100.2')).status).toBe(303);

    await db.query(`update oauth_records set expires_at = now() where model = 'Interaction'`);
    expect((await begin('198.51.100.1')).status).toBe(303);
  });

  test('a flood from one network or many replaces only its own sign-ins: another user can sign in meanwhile', async () => {
    const { begin, browser, publicUrl } = await start({ SIGN_IN_PER_MINUTE: '1000', mostInteractions: 20 });
    const person = browser();
    const begun = await begin('203.0.113.9', person);
    // the user has the page open
    const page = await person.open(new URL(begun.headers.get('location') ?? '', publicUrl));
    if (!('page' in page)) throw new Error('no page was shown');
    expect(page.page.text).toContain('Editor');
    for (let n = 0; n < 40; n++) expect((await begin('198.51.100.1')).status).toBe(303);
    for (let n = 0; n < 40; n++) expect((await begin(`192.0.2.${n}`)).status).toBe(303);
    // they are counted in batches of twenty
    expect(await rows()).toBeLessThanOrEqual(40);

    const left = await person.submit(page.page, { allow: '1' });
    expect('page' in left && left.page.url.pathname).toMatch(/^\/dev-google\/choose\//);
    await db.query(`update oauth_records set expires_at = now() - interval '1 minute' where model = 'Interaction'`);
    for (let n = 0; n < 20; n++) await begin('198.51.100.1');
    expect(await rows()).toBeLessThanOrEqual(20);
  });
});
