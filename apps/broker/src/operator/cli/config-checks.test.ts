import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases.ts';
import { paths, type Paths } from '../../paths.ts';
import { configChecks } from './config-checks.ts';
import { runCli } from './run-cli.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'check-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function checkConfig(args: string[] = [], environment: NodeJS.ProcessEnv = {}, files: Paths = paths) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const code = await runCli(['check-config', ...args], {
    environment,
    stdout: print,
    stderr: print,
    checks: configChecks(files),
  });
  return { code, text: lines.join('\n') };
}

test('[CFG-33] check-config accepts the bundled files, with the embedded database and in production', async () => {
  expect(await checkConfig()).toEqual({ code: 0, text: 'Configuration is valid' });
  const production = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://souk.example.com',
    DATABASE_URL: 'postgres://souk@db.example.com/souk',
    MASTER_KEY: 'A'.repeat(43),
    GOOGLE_CLIENT_ID: 'id',
    GOOGLE_CLIENT_SECRET: 'secret',
    PAYMENTS: 'off',
    ADMIN_EMAILS: 'owner@example.com',
  };
  expect(await checkConfig([], production)).toEqual({ code: 0, text: 'Configuration is valid' });
});

test('[CFG-33] check-config names every fault of every manifest at once, with file, code and field', async () => {
  const valid = {
    id: 'a',
    name: 'A',
    serviceType: 'mcp',
    version: '1',
    description: 'd',
    category: 'data',
    connection: { type: 'http', url: 'https://a.example.com/mcp' },
  };
  const files: Record<string, string> = {
    'fields.json': JSON.stringify({ ...valid, id: '../../x', version: '', billing: { tier: 'T9' } }),
    'bom.json': `\uFEFF${JSON.stringify(valid)}`,
    'nul.json': JSON.stringify(valid).replace('"A"', String.raw`"A\u0000"`),
    'twice.json': JSON.stringify(valid).replace('"name"', '"id":"b","name"'),
    'proto.json': JSON.stringify(valid).replace('"name"', '"__proto__":{},"name"'),
    'address.json': JSON.stringify({ ...valid, connection: { type: 'http', url: 'http://2130706433/' } }),
    'command.json': JSON.stringify({ ...valid, connection: { type: 'stdio', command: '/bin/sh' } }),
    'tools.json': JSON.stringify({
      ...valid,
      capabilitySnapshot: {
        tools: Array.from({ length: 513 }, (_, index) => ({ name: `t${index}`, inputSchema: { type: 'object' } })),
      },
    }),
    'good.json': JSON.stringify(valid),
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  const { code, text } = await checkConfig(['--manifests', folder]);
  expect(code).toBe(78);
  for (const expected of [
    'fields.json: manifest_invalid: id ',
    'fields.json: manifest_invalid: version ',
    'fields.json: manifest_invalid: billing.tier ',
    'bom.json: manifest_invalid: begins with a byte order mark',
    'nul.json: manifest_invalid: contains a NUL character',
    'twice.json: manifest_invalid: id is a duplicate key',
    'proto.json: manifest_invalid: __proto__ is not an allowed name',
    'address.json: url_not_allowed: connection.url ',
    'command.json: command_not_allowed: connection.command ',
    'tools.json: manifest_invalid: capabilitySnapshot.tools must be at most 512 tools',
  ]) {
    expect(text).toContain(expected);
  }
  expect(text).not.toContain('good.json');
  expect(text).not.toContain('    at ');
});

test('check-config names the manifest folder or allow-list that it cannot read', async () => {
  expect((await checkConfig(['--manifests', join(folder, 'none')])).text).toContain(join(folder, 'none'));
  await writeFile(join(folder, 'list.json'), '{"sh":{"argv":"sh"}}');
  const { code, text } = await checkConfig([], { STDIO_ALLOWLIST: join(folder, 'list.json') });
  expect(code).toBe(78);
  expect(text).toContain('list.json');
});

test('[CFG-33] check-config names folders that cannot be used, by their variables', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const { code, text } = await checkConfig([], { DATA_DIR: file, CATALOGUE_DIR: join(folder, 'none') });
  expect(code).toBe(78);
  expect(text).toContain('The configuration has 2 problems:');
  expect(text).toContain(`DATA_DIR: ${file} is not a folder`);
  expect(text).toContain(`CATALOGUE_DIR: ${join(folder, 'none')} cannot be read (ENOENT)`);
});

const plan = (change: object) => ({
  planId: 'pro',
  name: 'Pro',
  description: 'More.',
  tier: 'T2',
  amount: 1900,
  currency: 'USD',
  period: 'month',
  features: [],
  monthlyCredits: 0,
  ...change,
});
const pack = (change: object) => ({
  packageId: 'small',
  name: 'Small',
  credits: 10,
  bonus: 0,
  price: 100,
  currency: 'USD',
  ...change,
});
const free = plan({ planId: 'free', tier: 'T0', amount: 0 });
const offered = (plans: object[], packages: object[] = []) => JSON.stringify({ plans, packages });

test.each([
  ['{', [/^could not be read as JSON: /]],
  ['{"plans":[]}', [/^packages /, /^plans must include the plan free of tier T0/]],
  [
    offered([plan({})]),
    [/^plans must include the plan free of tier T0: it is the plan of everyone who pays for none$/],
  ],
  [
    offered([plan({ planId: 'free' }), plan({ planId: 'gratis', tier: 'T0', amount: 0 })]),
    [/^plans\.0\.planId must be free if and only if the tier is T0$/, /^plans\.1\.planId must be free /],
  ],
  [
    offered([free, plan({ amount: 0 })], [pack({ packageId: 'pro' })]),
    [
      /^packages\.0\.packageId pro is the id of two offers$/,
      /^plans\.1\.amount a plan is free if and only if its tier/,
    ],
  ],
  [
    offered([free, plan({ currency: 'EUR' })], [pack({ price: 29 })]),
    [
      /^plans\.1\.currency must be USD, as of plans\.0: all prices are in one currency$/,
      /^packages\.0\.price must be at least 50: .* less than 0\.50 USD$/,
    ],
  ],
  [
    offered([free, plan({ amount: 1 }), plan({ planId: 'a b', monthlyCredits: -1 })]),
    [/^plans\.2\.planId must be a short name/, /^plans\.2\.monthlyCredits /, /^plans\.1\.amount must be at least 50/],
  ],
  ...['JPY', 'KWD', 'XXX'].map((currency): [string, RegExp[]] => [
    offered([{ ...free, currency }, plan({ currency, amount: 49 })]),
    [
      /^plans\.0\.currency must be a currency with two decimals/,
      /^plans\.1\.currency must be a currency with two decimals/,
    ],
  ]),
])('[CFG-33] check-config names every fault of the offers at once, with file and field: %#', async (text, problems) => {
  const file = join(folder, 'offers.json');
  await writeFile(file, text);
  const { code, text: told } = await checkConfig([], {}, { ...paths, offers: file });
  expect(code).toBe(78);
  const [head, ...lines] = told.split('\n');
  expect(head).toBe(`The configuration has ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}:`);
  for (const [index, problem] of problems.entries()) {
    const [, said] = lines[index]?.split(`  - ${file}: `) ?? [];
    expect(said).toMatch(problem);
  }
});
