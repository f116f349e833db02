import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { readConfig } from '#platform/config.ts';
import { paths, type Paths } from '../../../paths.ts';
import { configChecks } from './config-checks.ts';
import { checkPrograms } from './program-checks.ts';
import { runCli } from '../run-cli.ts';

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

test('a guessable master key is refused if there is no data yet, and warned of if there may be', async () => {
  const MASTER_KEY = 'k'.repeat(43);
  const text = "MASTER_KEY can be guessed: it repeats a few characters. Make one with: node -p \"require('crypto')";
  const begun = await checkConfig([], { DATA_DIR: folder, MASTER_KEY });
  expect(begun.code).toBe(78);
  expect(begun.text).toContain(`  - ${text}`);
  const warned = [
    await checkConfig([], { DATA_DIR: folder, MASTER_KEY, DATABASE_URL: 'postgres://db.example/souk' }),
    await mkdir(join(folder, 'db')).then(() => checkConfig([], { DATA_DIR: folder, MASTER_KEY })),
  ];
  for (const { code, text: said } of warned) {
    expect(code).toBe(0);
    expect(said).toContain(`Warning: ${text}`);
    expect(said).toMatch(/only this key opens the secrets of the existing data[^]*\nConfiguration is valid$/);
  }
});

test('[CFG-33] check-config accepts the bundled files, with the embedded database and in production', async () => {
  expect(await checkConfig()).toEqual({ code: 0, text: 'Configuration is valid' });
  const production = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://souk.example.com',
    DATABASE_URL: 'postgres://souk@db.example.com/souk',
    MASTER_KEY: randomBytes(32).toString('base64url'),
    GOOGLE_CLIENT_ID: 'id',
    GOOGLE_CLIENT_SECRET: 'secret',
    PAYMENTS: 'off',
    ADMIN_EMAILS: 'owner@example.com',
  };
  expect(await checkConfig([], production)).toEqual({ code: 0, text: 'Configuration is valid' });
});

test('[CFG-33] check-config names every fault of every manifest together, with file, code and field', async () => {
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

test('[CFG-33] check-config names unusable folders, by their variables', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const { code, text } = await checkConfig([], { DATA_DIR: file, CATALOGUE_DIR: join(folder, 'none') });
  expect(code).toBe(78);
  expect(text).toContain('The configuration has 2 problems:');
  expect(text).toContain(`DATA_DIR: ${file} is not a folder`);
  expect(text).toContain(`CATALOGUE_DIR: ${join(folder, 'none')} cannot be read (ENOENT)`);
});

const plan = (change: { planId?: string } & Record<string, unknown>) => ({
  planId: 'pro',
  name: `Plan ${change.planId ?? 'pro'}`,
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
  [offered([plan({})]), [/^plans must include the plan free of tier T0: it is the plan of users without a paid plan$/]],
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
    offered(
      [free, plan({ name: 'Pro' }), plan({ planId: 'pro-too', name: 'pRO' })],
      [pack({ name: 'Pro' }), pack({ packageId: 'b' }), pack({ packageId: 'c' })],
    ),
    [/^plans\.2\.name pRO is the name of two plans$/, /^packages\.2\.name Small is the name of two packages$/],
  ],
  [
    offered([free, plan({ currency: 'EUR' })], [pack({ price: 29 })]),
    [
      /^plans\.1\.currency must be USD, as of plans\.0: all prices are in one currency$/,
      /^packages\.0\.price must be at least 50: .* less than \$0\.50$/,
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
])(
  '[CFG-33] check-config names every fault of the offers together, with file and field: %#',
  async (text, problems) => {
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
  },
);

test('check-config names what programs of the allow-list lack on this machine, and the start continues', async () => {
  const list = join(folder, 'list.json');
  const away = '/nonexistent/souk';
  const allowlist = {
    whole: { argv: ['{node}', '--no-warnings', import.meta.filename, '{personDir}'], reads: [import.meta.dirname] },
    file: { argv: ['{node}', '--no-warnings', `${away}/main.js`] },
    folder: { argv: ['/bin/sh'], reads: [`${away}/data`] },
    program: { argv: [`${away}/program`] },
    closed: { argv: [import.meta.filename] },
    command: { argv: ['souk-no-such-command', '--flag'] },
    package: { argv: ['{node}', '{package:@souk-test/away/main.js}'] },
  };
  await writeFile(list, JSON.stringify(allowlist));
  const lines: string[] = [];
  const config = readConfig({ DATA_DIR: folder, STDIO_ALLOWLIST: list });
  const problems = await checkPrograms()(config, { manifestsDir: undefined, warn: (line) => lines.push(line) });
  expect(problems).toEqual([]);
  expect(lines.map((line) => line.replace(`of the allow-list ${list}: `, ''))).toEqual([
    `the program file ${away}/main.js does not exist`,
    `the program folder "reads" names ${away}/data, which does not exist`,
    `the program program ${away}/program does not exist`,
    `the program closed ${import.meta.filename} cannot be executed by this user`,
    expect.stringMatching(
      /^the program command the command souk-no-such-command is in none of \/.*, \/usr\/bin, \/bin$/,
    ),
    'the program package the package @souk-test/away of the allow-list is not installed',
  ]);
});

test('tax and promotion codes cause a warning if they have no effect, or are those of a demo', async () => {
  const both = { DATA_DIR: folder, STRIPE_TAX: '1', PROMOTION_CODES: '1' };
  const off = (await checkConfig([], { ...both, PAYMENTS: 'off' })).text;
  for (const name of ['STRIPE_TAX', 'PROMOTION_CODES'])
    expect(off).toContain(`Warning: ${name}=1 does nothing, since PAYMENTS is off: nothing is sold.`);
  const demo = (await checkConfig([], both)).text;
  expect(demo).toContain('Warning: STRIPE_TAX=1: the stand-in for Stripe adds the tax of a demo table');
  expect(demo).not.toContain('PROMOTION_CODES');
  const stripe = { STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec' };
  expect((await checkConfig([], { ...both, ...stripe })).text).not.toContain('STRIPE_TAX');
});
