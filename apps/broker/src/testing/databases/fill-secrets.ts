import type { Database } from '#platform/db/database.ts';
import { startOAuthFixture } from '../../features/upstreams/sign-in/testing/oauth-fixture.ts';
import { signInPerson, type TestPerson } from '../../features/upstreams/sign-in/testing/person.ts';
import { startDemandingServer } from '../servers/demanding-server.ts';
import { deployManifest } from '../deploy-manifest.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '../start-app.ts';

export type FilledSecrets = { app: TestApp; ann: TestPerson; close(): Promise<void> };

/**
 * Starts a broker whose database has a secret in each of its encrypted columns, each created as in use: by a request or
 * a command.
 */
export async function fillSecrets(env: NodeJS.ProcessEnv, db?: Database): Promise<FilledSecrets> {
  const fixture = await startOAuthFixture();
  // it registers only clients with a secret
  fixture.mischief.serverMetadata = (honest) => ({
    ...honest,
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  });
  const keyed = await startDemandingServer('x-key', { accept: ['a value of the operator'] });
  const allowAddresses = [fixture.address, keyed.address];
  const app = await startTestApp({ allowAddresses, env: { ...withoutHealthChecks, ...env }, ...(db && { db }) });
  const close = async () => {
    await app.stop();
    await fixture.close();
    await keyed.close();
  };
  await deployManifest(app, { id: 'vault', connection: { type: 'http', url: fixture.url }, auth: { type: 'oauth' } });
  const ann = await signInPerson(app.publicUrl, 'ann@souk.test');
  const { body } = await ann.call('POST', '/mcp/vault/enable');
  const back = await fixture.allow(String(body['authUrl']));
  await ann.call('POST', '/mcp/oauth/callback', Object.fromEntries(back));
  // a running sign-in
  await ann.call('POST', `/api/users/${ann.userId}/upstream-connections/vault/sign-in`);

  const auth = { type: 'headers', headers: [{ name: 'X-Key', from: 'operator' }] };
  await deployManifest(app, { id: 'keyed', connection: { type: 'http', url: keyed.url }, auth }, 'error');
  const { secrets } = app.upstreams;
  const [needed] = (await secrets.list('keyed')).needed;
  if (!needed) throw new Error('the server needs no secret');
  await secrets.set('keyed', needed, 'a value of the operator', { operator: 'operator' });

  // a client with a secret
  const registered = await fetch(`${app.publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: ['https://app.example/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
    }),
  });
  if (registered.status !== 201) throw new Error(`no client was registered: ${registered.status}`);
  return { app, ann, close };
}
