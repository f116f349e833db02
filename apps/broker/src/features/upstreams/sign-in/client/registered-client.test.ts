import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startVault, type Vault } from '../testing/vault.ts';

/**
 * The staged manifests of GitHub, Google and Slack: no snapshot, no client in the manifest, an authorization server
 * without registration. The operator has registered a client there and set it in the environment.
 */
const clientId = 'Iv1.registered';
const clientSecret = 'registered-secret-77aa';
let { fixture, app, ann, token, close }: Partial<Vault> = {};

beforeAll(async () => {
  ({ fixture, app, ann, token, close } = await startVault({
    fixture: { clients: { [clientId]: clientSecret } },
    app: ({ origin }) => ({
      env: {
        UPSTREAM_CLIENT_ID_VAULT: clientId,
        UPSTREAM_CLIENT_SECRET_VAULT: clientSecret,
        UPSTREAM_CLIENT_ISSUER_VAULT: origin,
      },
    }),
    manifest: () => ({ capabilitySnapshot: undefined }),
  }));
});
afterEach(async () => {
  const { person } = vault();
  await person.call('DELETE', `/api/users/${person.userId}/upstream-connections/vault`);
});
afterAll(() => close?.());

function vault() {
  if (!fixture || !app || !ann || !token) throw new Error('not started');
  return { server: fixture, broker: app, person: ann, bearer: token };
}
const ask = async (method: string, params: Record<string, unknown> = {}) =>
  (await postModern(`${vault().broker.publicUrl}/mcp`, vault().bearer, method, params)).body;
const listed = async (): Promise<string[]> =>
  JSON.stringify((await ask('tools/list')).result).match(/vault__[a-z_]+/g) ?? [];

const asGitHub = (honest: Record<string, unknown>) => ({
  issuer: honest['issuer'],
  authorization_endpoint: honest['authorization_endpoint'],
  token_endpoint: honest['token_endpoint'],
  code_challenge_methods_supported: ['S256'],
});
const shapes = {
  GitHub: {
    serverMetadata: asGitHub,
    tokens: ({ access_token }: Record<string, unknown>) => ({ access_token, token_type: 'bearer', scope: 'repo,gist' }),
  },
  Google: {
    resourceMetadata: (honest: Record<string, unknown>) => ({
      ...honest,
      authorization_servers: [`${vault().server.origin}/`],
    }),
    serverMetadata: (honest: Record<string, unknown>) => ({
      ...asGitHub(honest),
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    }),
  },
  Slack: {
    serverMetadata: (honest: Record<string, unknown>) => ({
      ...asGitHub(honest),
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    }),
    tokens: ({ access_token }: Record<string, unknown>) => ({
      ok: true,
      authed_user: { id: 'U1', access_token, token_type: 'user', scope: 'chat:write' },
    }),
  },
};

/** How the client authenticates: basic unless the server's metadata excludes it. */
const shown = { GitHub: 'client_secret_basic', Google: 'client_secret_basic', Slack: 'client_secret_post' };

test.each(Object.keys(shapes) as (keyof typeof shapes)[])(
  "a server like %s's: the user signs in, its tools are in the link and callable, and after a disconnect they are not",
  async (name) => {
    const { server, person, broker } = vault();
    server.mischief = { ...shapes[name], redirect: (back) => back.delete('iss') };
    expect(await listed()).toEqual([]);
    const path = `/api/users/${person.userId}/upstream-connections/vault/sign-in`;
    const begun = await person.call('POST', path);
    expect(begun.body).toMatchObject({ authUrl: expect.stringContaining(`client_id=${clientId}&`) });
    const back = await server.allow(String(begun.body['authUrl']));
    const finished = await person.call('POST', '/mcp/oauth/callback', Object.fromEntries(back));
    expect(server.clientAuthentications.splice(0)).toEqual([shown[name]]);
    expect(finished.status).toBe(200);
    await waitUntil('the tools', async () => (await listed()).includes('vault__echo'));
    const called = await ask('tools/call', { name: 'vault__echo', arguments: { text: 'hi' } });
    expect(called.result).toMatchObject({ content: [{ text: 'hi' }] });
    await person.call('DELETE', `/api/users/${person.userId}/upstream-connections/vault`);
    expect(await listed()).toEqual([]);
    expect((await ask('tools/call', { name: 'vault__echo' })).error?.message).toBe('Unknown tool: vault__echo');
    expect(server.registrations).toEqual([]);
    expect(broker.logged()).not.toContain(clientSecret);
  },
);

test('without a client of the operator the answer says what is missing', async () => {
  const { server, person, broker } = vault();
  server.mischief = { serverMetadata: asGitHub };

  await deployManifest(broker, {
    id: 'other-files',
    connection: { type: 'http', url: server.url },
    auth: { type: 'oauth' },
  });
  const path = `/api/users/${person.userId}/upstream-connections/other-files/sign-in`;
  const { status, body } = await person.call('POST', path);
  expect(status).toBe(502);
  expect(body['message']).toContain('(UPSTREAM_CLIENT_ID_OTHER_FILES)');
});
