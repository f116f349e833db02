import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectPatiently, createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startOAuthFixture, type OAuthFixture } from '../testing/oauth-fixture.ts';
import { signInPerson, type TestPerson } from '../testing/person.ts';
import { areToolsRead, signInAt, vaultManifest } from '../testing/vault.ts';

const startMs = Date.now();
const minuteMs = 60_000;

describe.each(['PGlite', 'PostgreSQL with two replicas'])('renewed tokens', (engine) => {
  const isPostgres = engine !== 'PGlite';
  describe.skipIf(isPostgres && !hasPostgres())(`on ${engine}`, () => {
    let fixture: OAuthFixture;
    let apps: TestApp[];
    let ann: TestPerson;
    let token: string;
    let nowMs = startMs;
    const clock = { now: () => nowMs };

    beforeAll(async () => {
      fixture = await startOAuthFixture({ expiresInSeconds: 600 });
      const databaseUrl = isPostgres ? await createPostgresDatabase() : undefined;
      const env = { MASTER_KEY: randomBytes(32).toString('base64url'), PUBLIC_URL: undefined };
      const open = async () =>
        databaseUrl === undefined
          ? {}
          : {
              db: await connectPatiently(databaseUrl),
            };
      apps = [await startTestApp({ ...(await open()), env, clock, allowAddresses: [fixture.address] })];
      if (isPostgres)
        apps.push(await startTestApp({ ...(await open()), env, clock, allowAddresses: [fixture.address] }));
      const [first] = apps;
      if (!first) throw new Error('no app');
      await deployManifest(first, vaultManifest(fixture));
      for (const app of apps) await waitUntil('the server', () => app.catalogue.snapshot().byId.has('vault'));
      ann = await signInPerson(first.publicUrl, 'ann@souk.test');
      token = (await first.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token;
    });
    afterEach(() => {
      fixture.mischief = {};
    });
    afterAll(async () => {
      for (const app of apps) await app.stop();
      await fixture?.close();
    });

    async function connect(): Promise<void> {
      await signInAt(ann, fixture);
      // the server is asked what it offers, and no test below means that request
      await waitUntil('the tools', async () => apps[0] !== undefined && areToolsRead(apps[0], 'vault'));
      fixture.tokenRequests.length = 0;
    }
    /** Returns the refresh and access token of each response of the token endpoint from now on. */
    function watchIssued(): string[][] {
      const issued: string[][] = [];
      fixture.mischief.tokens = (honest) => {
        issued.push([String(honest['refresh_token']), String(honest['access_token'])]);
        return honest;
      };
      return issued;
    }
    /** Returns those of these tokens that were revoked, in that order. */
    const revokedOf = (tokens: string[] = []) => fixture.revoked.filter((one) => tokens.includes(one));
    /** Makes a call on one of the replicas; returns what the tool said, or why it did not. */
    async function call(n = 0, bearer = token): Promise<string> {
      const app = apps[n % apps.length];
      const name = 'vault__echo';
      const answer = await postModern(`${app?.publicUrl}/mcp`, bearer, 'tools/call', {
        name,
        arguments: { text: 'hi' },
      });
      return JSON.stringify(answer.body.result ?? answer.body);
    }
    const state = async () =>
      (await ann.call('GET', `/api/users/${ann.userId}/upstream-connections`)).body['connections'];
    const refreshes = () => fixture.tokenRequests.filter((form) => form.get('grant_type') === 'refresh_token');

    test('ten concurrent calls with a token that is about to expire cause one refresh, and all are answered', async () => {
      await connect();
      expect(await call()).toContain('"hi"');
      nowMs += 9.5 * minuteMs;
      fixture.mischief.tokenDelayMs = 150;
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => call(n)));
      expect(answers.filter((answer) => answer.includes('"hi"'))).toHaveLength(10);
      expect(refreshes()).toHaveLength(1);
      expect(refreshes()[0]?.get('resource')).toBe(fixture.url);
      expect(await state()).toMatchObject([{ state: 'signed-in', lastRefreshedAt: new Date(nowMs).toISOString() }]);
    });

    test('ten concurrent calls that get a 401 cause one refresh, and all are answered', async () => {
      await connect();
      await call();
      fixture.forgetAccessTokens();
      fixture.mischief.tokenDelayMs = 150;
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => call(n)));
      expect(answers.filter((answer) => answer.includes('"hi"'))).toHaveLength(10);
      expect(refreshes()).toHaveLength(1);
    });

    describe.runIf(isPostgres)('on two replicas', () => {
      test('a refused refresh ends the sign-in, and the account says why; a new sign-in repairs it', async () => {
        await connect();
        fixture.forgetAccessTokens();
        fixture.forgetRefreshTokens();
        expect(await call()).toContain('sign_in_required');
        expect(await state()).toMatchObject([
          { state: 'needs-sign-in', error: 'The sign-in has ended or was withdrawn.' },
        ]);
        expect(await call(1)).toContain('/connect/vault');
        expect(refreshes()).toHaveLength(1);
        await connect();
        expect(await call(1)).toContain('"hi"');
        expect(await state()).toMatchObject([{ state: 'signed-in' }]);
      });

      test('disconnecting takes effect on every replica, and the tokens are revoked', async () => {
        const issued = watchIssued();
        await connect();
        expect(await call(0)).toContain('"hi"');
        expect(await call(1)).toContain('"hi"');
        await ann.call('DELETE', `/api/users/${ann.userId}/upstream-connections/vault`);
        expect(await call(0)).toContain('sign_in_required');
        expect(await call(1)).toContain('sign_in_required');
        await waitUntil('both to be revoked', () => revokedOf(issued[0]).length === 2);
        expect(revokedOf(issued[0])).toEqual(issued[0]);
      });

      test('a server that is switched off on one replica is off on the other', async () => {
        const [first] = apps;
        if (!first) throw new Error('no app');
        const bob = await signInPerson(first.publicUrl, 'bob@souk.test');
        const own = await first.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' });
        await bob.call('POST', '/mcp/vault/disable');
        for (const n of [0, 1]) {
          await waitUntil(`replica ${n} to be notified`, async () =>
            (await call(n, own.token)).includes('switched_off'),
          );
        }
        expect((await bob.call('POST', '/mcp/vault/enable')).body).toMatchObject({ requiresOAuth: true });
      });
    });

    describe.runIf(!isPostgres)('on one broker', () => {
      test('a failing token endpoint fails no call while the token is valid, and ends no sign-in when it is not', async () => {
        await connect();
        nowMs += 9.5 * minuteMs;
        fixture.mischief.intercept = (request, response) => {
          if (request.url !== '/token') return false;
          response.writeHead(503).end();
          return true;
        };
        expect(await call()).toContain('"hi"');
        nowMs += minuteMs;
        expect(await call()).toContain('upstream_unavailable');
        fixture.mischief = {};
        expect(await call()).toContain('"hi"');
      });

      test('a token that is refused as soon as it is issued ends the sign-in', async () => {
        await connect();
        fixture.mischief.intercept = (request, response) => {
          if (request.url !== '/mcp') return false;
          response.writeHead(401).end();
          return true;
        };
        expect(await call()).toContain('sign_in_required');
        expect(refreshes()).toHaveLength(1);
        fixture.mischief = {};
        expect(await state()).toMatchObject([{ state: 'needs-sign-in', error: 'The server refuses the sign-in.' }]);
      });

      test('a new sign-in revokes the tokens that it replaces, once the new ones are stored', async () => {
        const issued = watchIssued();
        await connect();
        await connect();
        const [first, second] = issued;
        await waitUntil(
          'the first ones to be revoked',
          () => first?.every((one) => fixture.revoked.includes(one)) ?? false,
        );
        expect(revokedOf(first)).toEqual(first);
        expect(fixture.revoked).not.toContain(second?.[0]);
        expect(await call()).toContain('"hi"');
      });

      test('tokens that a server issues again are not revoked, and a failing revocation does not affect the sign-in', async () => {
        let same: Record<string, unknown> | undefined;
        fixture.mischief.tokens = (honest) => (same ??= honest);
        await connect();
        await connect();
        const asked: (string | null)[] = [];
        fixture.mischief = {
          intercept(request, response) {
            if (request.url !== '/revoke') return false;
            void text(request).then((form) => {
              asked.push(new URLSearchParams(form).get('token'));
              response.destroy();
            });
            return true;
          },
        };
        await connect();
        const tokens = [same?.['refresh_token'], same?.['access_token']];
        await waitUntil('both to be tried', () => asked.includes(String(tokens[1])));
        // once each, for the third sign-in: not for the second, which got the same tokens
        expect([...fixture.revoked, ...asked].filter((one) => tokens.includes(one))).toEqual(tokens);
        expect(await call()).toContain('"hi"');
      });
    });
  });
});
