import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseManifest } from '#features/catalogue/index.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { manifestCommands } from './manifests/manifest-commands.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

test.each([
  ['JPY', 500, 'billing.rental.currency', 'must be a currency with two decimals'],
  ['KWD', 500, 'billing.rental.currency', 'must be a currency with two decimals'],
  ['XXX', 500, 'billing.rental.currency', 'must be a currency with two decimals'],
  ['USD', 49, 'billing.rental.price', 'must be at least 50: the payment provider charges no less than $0.50'],
  ['USD', 1, 'billing.rental.price', 'must be at least 50'],
])(
  'a rental of %s %i that could never be paid is refused at staging, with its field',
  async (currency, price, path, text) => {
    const manifest = {
      id: 'never',
      name: 'Never',
      serviceType: 'mcp',
      version: '1.0.0',
      description: 'A server.',
      category: 'data',
      connection: { type: 'http', url: 'https://mcp.example.test' },
      billing: { tier: 'T1', rental: { price, currency } },
    };
    const refused = { code: 'manifest_invalid', issues: [{ path, message: expect.stringContaining(text) }] };
    const commands = manifestCommands(app);
    const source = Buffer.from(JSON.stringify(manifest)).toString('base64');
    await expect(commands['manifest.stage']?.({ source })).rejects.toMatchObject(refused);
    await expect(commands['manifest.deploy']?.({ source })).rejects.toMatchObject(refused);
    expect(await app.catalogue.versions('never')).toEqual([]);
  },
);

test('a manifest whose rental is in another currency is refused, with its field and the rule', async () => {
  const foreign = (id: string) =>
    JSON.stringify({
      id,
      name: id,
      serviceType: 'mcp',
      version: '1.0.0',
      description: 'A server.',
      category: 'data',
      connection: { type: 'http', url: 'https://mcp.example.test' },
      billing: { tier: 'T1', rental: { price: 500, currency: 'EUR' } },
    });
  const path = 'billing.rental.currency';
  const message = expect.stringContaining('must be USD, the currency of the plans and credit packages');
  const refused = { code: 'manifest_invalid', issues: [{ path, message }] };
  const commands = manifestCommands(app);
  const source = Buffer.from(foreign('foreign')).toString('base64');
  await expect(commands['manifest.deploy']?.({ source })).rejects.toMatchObject(refused);
  expect(await commands['manifest.check']?.({ source })).toMatchObject({ ok: false, problems: [{ path, message }] });
  // staged before the shop had another currency
  const staged = parseManifest(foreign('staged'), { ...app.policy, currency: 'EUR' });
  await app.catalogue.stage(staged, { origin: 'admin' });
  await expect(commands['manifest.deploy']?.({ id: 'staged' })).rejects.toMatchObject(refused);
  expect(app.catalogue.snapshot().byId.has('staged')).toBe(false);
  const sold = parseManifest(foreign('free'), { ...app.policy, currency: undefined });
  expect(sold.billing?.rental?.currency).toBe('EUR');
});
