import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { adminAllowanceEndpoints } from '@souk/contract/admin/allowances.ts';
import { adminSecretEndpoints } from '@souk/contract/admin/secrets.ts';
import { createClient, type Client } from '@souk/contract/client.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectPatiently, createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { startPackageRegistry, type PackageRegistry } from '#testing/servers/package-registry.ts';
import { sandboxProblem } from '#testing/network/sandbox-works.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { manifestText, testingAdministrator } from '../connection-test/testing/testing-administrator.ts';

const form = {
  alias: 'small',
  package: '@souk-test/small@1.0.0',
  args: ['--read-only', '$(touch /tmp/x)'],
  env: { SMALL_SITE: 'example.com' },
  secrets: ['API_TOKEN'],
  network: 'none' as const,
};

describe.skipIf(!hasPostgres() || sandboxProblem() !== undefined)(
  'packages that administrators allow',
  { shuffle: false },
  () => {
    const ahead = { ms: 0 };
    let folder: string;
    let registry: PackageRegistry;
    let replicas: Replicas;
    let api: Client<typeof adminAllowanceEndpoints>;
    let secrets: Client<typeof adminSecretEndpoints>;
    let admin: Awaited<ReturnType<typeof testingAdministrator>>;
    let token: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(temporaryRoot(), 'allowed-'));
      registry = await startPackageRegistry(folder);
      const { PATH, HOME } = process.env;
      const databaseUrl = await createPostgresDatabase();
      replicas = await startReplicas(() => connectPatiently(databaseUrl), {
        // a secret of the operator for an alias that their list does not have
        env: { ...withoutHealthChecks, ADMIN_MAY_ALLOW: 'packages', UPSTREAM_ENV_SMALL__API_TOKEN: 'of-the-operator' },
        environment: { PATH, HOME, npm_config_registry: registry.url, npm_config_fetch_retries: '0' },
        clock: { now: () => Date.now() + ahead.ms },
      });
      admin = await testingAdministrator(replicas.publicUrl);
      const given = { baseUrl: replicas.publicUrl, fetch, token: async () => admin.accessToken };
      api = createClient(adminAllowanceEndpoints, given);
      secrets = createClient(adminSecretEndpoints, given);
      ({ token } = await replicas.apps[0].identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
    });
    afterAll(async () => {
      await replicas?.stop();
      await registry?.close();
      await rm(folder, { recursive: true, force: true });
    });

    async function callAt(broker: 0 | 1, files: string[] = []): Promise<string> {
      const { headers, body } = modernRequest(token, 'tools/call', { name: 'inside__look', arguments: { files } });
      return JSON.stringify(
        (await postRaw(`${replicas.publicUrl}/mcp`, body, { ...headers, ...replicas.at(broker) })).body,
      );
    }
    const post = (path: string, body: string) =>
      fetch(`${replicas.publicUrl}${path}`, { method: 'POST', headers: admin.headers, body });
    const preview = (change: object = {}) => api.previewAllowedPackage({ body: { ...form, ...change } });
    const add = (code: string) => api.addAllowedPackage({ body: { form, code } });

    test('forms of a hostile administrator are refused at their field, and npm is not queried', async () => {
      registry.fail(500);
      for (const [change, words] of [
        [{ package: '@souk-test/small@^1.0.0' }, 'package: must be a package at an exact version'],
        [{ package: '@souk-test/small@latest' }, 'package: must be a package at an exact version'],
        [{ package: '@souk-test/small' }, 'package: must be a package at an exact version'],
        [{ package: 'github:evil/small' }, 'package: must be a package at an exact version'],
        [{ package: 'https://evil.test/small.tgz' }, 'package: must be a package at an exact version'],
        [{ package: 'small@npm:evil@1.0.0' }, 'package: must be a package at an exact version'],
        [{ package: 'file:../small@1.0.0' }, 'package: must be a package at an exact version'],
        [{ package: '@souk-test/small@1.0.0 --registry=x' }, 'package: must be a package at an exact version'],
        [{ bin: '../../bin/sh' }, 'bin: must be the name of a command'],
        [{ args: ['--node-options=--require=/tmp/x'] }, 'args.0 --node-options is an option of Node'],
        [{ args: ['--require', '/tmp/x'] }, 'args.0 --require is an option of Node'],
        [{ args: ['--inspect=0.0.0.0'] }, 'args.0 --inspect is an option of Node'],
        [{ args: ['-e', 'process.exit()'] }, 'args.0 -e is an option of Node'],
        [{ args: ['a\nb'] }, 'args.0: must be one line'],
        [{ args: ['{package:@souk/broker/main.ts}'] }, 'args.0 has a placeholder'],
        [{ args: ['--api-key=abc'] }, 'args.0 sounds like a secret'],
        [{ env: { NODE_OPTIONS: '--require=/tmp/x' } }, 'env.NODE_OPTIONS NODE_OPTIONS changes what a program loads'],
        [{ env: { LD_PRELOAD: '/tmp/x.so' } }, 'env.LD_PRELOAD LD_PRELOAD changes what a program loads'],
        [{ env: { HTTPS_PROXY: 'http://evil.test' } }, 'env.HTTPS_PROXY HTTPS_PROXY changes what a program loads'],
        [{ env: { PATH: '/tmp' } }, 'env.PATH PATH changes what a program loads'],
        [{ env: { https_proxy: 'http://evil.test' } }, 'env.https_proxy'],
        [{ env: { SITE_TOKEN: 'abc' } }, 'env.SITE_TOKEN sounds like a secret'],
        [{ secrets: ['NODE_OPTIONS'] }, 'secrets.0 NODE_OPTIONS changes what a program loads'],
        [{ secrets: ['LD_PRELOAD'] }, 'secrets.0 LD_PRELOAD changes what a program loads'],
        [{ network: 'host' }, 'network: '],
        [{ alias: '../small' }, 'alias: must be 1 to 63 lowercase letters'],
        [{ argv: ['/bin/sh'] }, 'argv'],
      ] as const) {
        await expect(preview(change), JSON.stringify(change)).rejects.toMatchObject({
          status: 400,
          message: expect.stringContaining(words),
        });
      }
      await expect(preview()).rejects.toMatchObject({ message: expect.stringContaining('could not be looked up') });
      registry.fail(undefined);
      expect(registry.downloads()).toBe(0);
    });

    test('a package is looked up, confirmed as shown, given its secret, and runs on both brokers in the sandbox', async () => {
      const manifest = manifestText({ id: 'inside', connection: { type: 'stdio', command: 'small' } });
      expect((await post('/admin/manifests', manifest)).status).toBe(400);
      const shown = await preview();
      expect(shown).toMatchObject({ count: 0, integrity: expect.stringMatching(/^sha512-/) });
      await expect(add('another code')).rejects.toMatchObject({ status: 409, code: 'changed_since_shown' });
      ahead.ms = 16 * 60_000;
      await expect(add(shown.code)).rejects.toMatchObject({ code: 'sign_in_again' });
      ahead.ms = 0;
      const { packages } = await add(shown.code);
      expect(packages).toMatchObject({
        mayAdd: true,
        added: [{ form, integrity: shown.integrity, added: { by: 'admin@souk.test' }, isShadowed: false }],
      });
      expect(registry.downloads()).toBe(0);
      for (const app of replicas.apps)
        await waitUntil('each broker knows it', () => app.allowances.programs().has('small'));
      expect((await post('/admin/manifests', manifest)).status).toBe(200);
      expect((await post('/admin/manifests/inside/deploy', '{}')).status).toBe(200);
      // the operator's variable of this alias is not for a package that an administrator chose
      const { needed } = await secrets.listServerSecrets({ params: { id: 'inside' } });
      expect(needed).toMatchObject([{ kind: 'variable', name: 'API_TOKEN', state: 'missing', variable: null }]);
      const { kind, name, place } = needed[0] ?? { kind: 'variable', name: '', place: '' };
      if (kind !== 'variable') throw new Error('no variable');
      await secrets.setServerSecret({ params: { id: 'inside' }, body: { kind, name, place, value: 'of-the-shop' } });
      for (const broker of [0, 1] as const) {
        await waitUntil(`broker ${broker} runs it`, async () =>
          (await callAt(broker, ['/proc/self/environ'])).includes('API_TOKEN=of-the-shop'),
        );
      }
      const found = await callAt(0, ['/proc/self/environ', '/proc/self/cmdline', '/etc/passwd']);
      expect(found).toContain('SMALL_SITE=example.com');
      expect(found).not.toContain('of-the-operator');
      // each argument is one value
      expect(found).toContain('\\\\u0000--read-only\\\\u0000$(touch /tmp/x)\\\\u0000');
      expect(found).toContain('"/etc/passwd\\":\\"ENOENT');
      expect(existsSync(join(folder, 'ran'))).toBe(false);
      expect((await api.listAllowances()).packages.added).toMatchObject([{ servers: ['inside'] }]);
    });

    test('if the registry has other contents, no broker installs them, and a form that was not shown cannot be confirmed', async () => {
      const { code } = await preview({ alias: 'again' });
      registry.replacePackage();
      await expect(api.addAllowedPackage({ body: { form: { ...form, alias: 'again' }, code } })).rejects.toMatchObject({
        code: 'changed_since_shown',
      });
      await rm(join(replicas.apps[1].dataDir, 'programs'), { recursive: true, force: true });
      await replicas.apps[1].upstreams.pool.dropAll('inside');
      const failed = () => replicas.apps[1].upstreams.watch.failureOf('inside') ?? '';
      replicas.apps[1].upstreams.watch.refresh(['inside'], true);
      await waitUntil('it is refused', () => /could not be installed: .*(EINTEGRITY|integrity)/i.test(failed()));
    });

    test("a removal ends the package's processes immediately, and no manifest may name it any more", async () => {
      const pids = replicas.apps[0].upstreams.pool.stdioPids('inside');
      expect(pids).toHaveLength(1);
      await api.removeAllowedPackage({ body: { alias: 'small' } });
      await waitUntil('its process has ended', () => {
        try {
          return !process.kill(pids[0] ?? 0, 0);
        } catch {
          return true;
        }
      });
      for (const broker of [0, 1] as const)
        await waitUntil(`broker ${broker} refuses it`, async () => (await callAt(broker)).includes('"isError":true'));
      const next = manifestText({ id: 'inside', version: '1.0.1', connection: { type: 'stdio', command: 'small' } });
      expect((await post('/admin/manifests', next)).status).toBe(400);
      const { rows } = await replicas.apps[0].db.query(
        `select action, details ->> 'package' as package from audit_log where subject = 'small' order by id`,
      );
      expect(rows).toEqual([
        { action: 'package.allowed', package: form.package },
        { action: 'package.removed', package: null },
      ]);
      await expect(api.removeAllowedPackage({ body: { alias: 'small' } })).rejects.toMatchObject({ status: 404 });
    });
  },
);
