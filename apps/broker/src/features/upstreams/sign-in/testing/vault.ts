import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '#testing/start-app.ts';
import { startOAuthFixture, type OAuthFixture, type OAuthFixtureOptions } from './oauth-fixture.ts';
import { signInPerson, type TestPerson } from './person.ts';

/** A broker, a server `vault` that needs an account, and Ann, who has not signed in there. */
export type Vault = {
  fixture: OAuthFixture;
  app: TestApp;
  ann: TestPerson;
  /** Ann's token for MCP clients. */
  token: string;
  close(): Promise<void>;
};

/** @param options changes to the manifest, the server and the broker */
export async function startVault(
  options: {
    manifest?: (fixture: OAuthFixture) => Record<string, unknown>;
    fixture?: OAuthFixtureOptions;
    app?: (fixture: OAuthFixture) => TestAppOptions;
    /** host:port of other servers that the broker may reach. */
    allowAddresses?: readonly string[];
  } = {},
): Promise<Vault> {
  const fixture = await startOAuthFixture(options.fixture);
  const app = await startTestApp({
    ...options.app?.(fixture),
    allowAddresses: [fixture.address, ...(options.allowAddresses ?? [])],
  });
  await deployManifest(app, { ...vaultManifest(fixture), ...options.manifest?.(fixture) });
  const ann = await signInPerson(app.publicUrl, 'ann@souk.test');
  return {
    fixture,
    app,
    ann,
    token: (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token,
    async close() {
      await app.stop();
      await fixture.close();
    },
  };
}

export const vaultManifest = ({ url }: { url: string }) => ({
  id: 'vault',
  connection: { type: 'http', url },
  auth: { type: 'oauth' },
  capabilitySnapshot: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
});

/** Goes the whole way of a user to a finished sign-in. Returns the address that their browser was sent to. */
export async function signInAt(
  person: TestPerson,
  fixture: OAuthFixture,
  serverId = 'vault',
  login?: string,
): Promise<URL> {
  const path = `/api/users/${person.userId}/upstream-connections/${serverId}/sign-in`;
  const { body } = await person.call('POST', path);
  if (typeof body['authUrl'] !== 'string') throw new Error(`no sign-in was started: ${JSON.stringify(body)}`);
  const back = await fixture.allow(body['authUrl'], login);
  const finished = await person.call('POST', '/mcp/oauth/callback', Object.fromEntries(back));
  if (finished.status !== 200) throw new Error(`not signed in: ${JSON.stringify(finished.body)}`);
  return new URL(body['authUrl']);
}

/** Whether the server was asked what it offers since the last sign-in there. */
export async function areToolsRead({ db }: Pick<TestApp, 'db'>, serverId: string): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from personal_tools o join upstream_connections c using (user_id, server_id)
     where server_id = $1 and o.discovered_at >= c.signed_in_at`,
    [serverId],
  );
  return rows.length > 0;
}
