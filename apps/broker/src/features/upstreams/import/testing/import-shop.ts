import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { adminImportEndpoints, type ImportEntry } from '@souk/contract/admin/imports.ts';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { createClient } from '@souk/contract/client.ts';
import { registryImportEndpoints } from '@souk/contract/catalogue/registries.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { startPackageRegistry } from '#testing/servers/package-registry.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestAppOptions } from '#testing/start-app.ts';

/** Starts a shop without servers whose npm registry is on this machine, with the calls of its administrator. */
export async function startImportShop({ env, allowAddresses = [], ...more }: TestAppOptions = {}) {
  const folder = await mkdtemp(join(temporaryRoot(), 'import-'));
  const packages = await startPackageRegistry(folder);
  const app = await startTestApp({
    ...more,
    env: { STDIO: 'allowlist', ...withoutHealthChecks, ...env },
    environment: { ...process.env, NPM_CONFIG_REGISTRY: packages.url },
    allowAddresses: [new URL(packages.url).host, ...allowAddresses],
  });
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'admin@souk.test' });
  const api = createClient([...adminImportEndpoints, ...registryImportEndpoints, ...adminManifestEndpoints] as const, {
    baseUrl: app.publicUrl,
    fetch,
    token: async () => accessToken,
  });
  return {
    app,
    api,
    packages,
    preview: async (text: string) => (await api.previewImport({ body: { text } })).entries,
    async stop() {
      await app.stop();
      await packages.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type ImportShop = Awaited<ReturnType<typeof startImportShop>>;

/** Returns everything that a preview says of an entry except its document, as text. */
export function say({
  result,
  reason,
  id,
  version,
  kind,
  target,
  price,
  secrets,
  allowlist,
  notes,
  changes = [],
}: ImportEntry) {
  const program = allowlist === undefined ? undefined : JSON.stringify(Object.values(Object(JSON.parse(allowlist)))[0]);
  return [
    [result, ...(id === undefined ? [] : [id, version, kind, target, `price ${price}`])].join(' '),
    ...(reason === undefined ? [] : [`why: ${reason}`]),
    ...secrets.map(
      ({ name, variable, description }) =>
        `secret: ${name} in ${variable}${description === undefined ? '' : `, ${description}`}`,
    ),
    ...(program === undefined ? [] : [`allow: ${program}`]),
    ...changes.map((text) => `change: ${text}`),
    ...notes.map((text) => `note: ${text}`),
  ];
}
