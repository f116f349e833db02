import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '#platform/db/open-database.ts';
import { SoukError } from '#platform/errors.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { freePort } from '#testing/free-port.ts';
import { migrations } from '../../migrations.ts';
import { runSouk } from './testing/run-souk.ts';
import type { CliOptions } from './command.ts';

describe("the operator's command line", () => {
  let dataDir = '';
  let server: OperatorServer | undefined;
  const received: unknown[] = [];

  const run = (argv: string[], options: Partial<CliOptions> = {}) =>
    runSouk(argv, { environment: { DATA_DIR: dataDir }, ...options });
  const startBroker = async () => {
    server = await createOperatorServer({
      dataDir,
      log: pino({ level: 'silent' }),
      commands: {
        'token.create': async (args) => {
          received.push(args);
          if (JSON.stringify(args).includes('nobody'))
            throw new SoukError('not_found', { message: 'There is no such user.' });
          return { token: 'pat_1234' };
        },
      },
    });
  };
  /** What a broker leaves that started here once. */
  const leaveData = async (...statements: string[]) => {
    const db = await openDatabase({ databaseUrl: undefined, dataDir, log: pino({ level: 'silent' }), migrations });
    for (const statement of statements) await db.query(statement);
    await db.close();
  };
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'souk-cli-'));
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    received.length = 0;
    rmSync(dataDir, { recursive: true });
  });

  test('[CFG-23] token create asks the running broker and prints the token alone', async () => {
    await startBroker();
    const result = await run(['token', 'create', '--email', 'ada@souk.test', '--name', 'laptop']);
    expect(result).toEqual({ code: 0, out: 'pat_1234', err: '' });
    expect(received).toEqual([{ email: 'ada@souk.test', name: 'laptop' }]);
  });

  test('what a manifest says reaches the terminal as text alone, and --json without a change of meaning', async () => {
    const hostile = 'x\u001B]0;owned\u0007\u009B2J\u202E\u{E0041}';
    const stdin = async () => Buffer.from(JSON.stringify({ [hostile]: 1 }));
    const environment = { DATA_DIR: dataDir };
    const control = /[\p{Cc}\p{Cf}]/u;
    const said = await run(['manifest', 'check', '-'], { stdin, environment });
    expect(said.code).toBe(1);
    expect(said.out).toContain('x]0;owned2J: is not a field of a manifest');
    expect(said.out.replaceAll('\n', '')).not.toMatch(control);
    const json = await run(['manifest', 'check', '-', '--json'], { stdin, environment });
    expect(json.out).not.toMatch(control);
    const [{ problems }] = JSON.parse(json.out).manifests;
    expect(problems.map(({ path }: { path: string }) => path)).toContain(hostile);
    const marked = Buffer.from('\uFEFF{}');
    const refused = await run(['manifest', 'check', '-'], { stdin: async () => marked, environment });
    expect(refused.out).toContain('byte order mark');
  });

  test('user list, deactivate and activate work on the database itself where no broker runs', async () => {
    const environment = { DATA_DIR: dataDir, MASTER_KEY: 'k'.repeat(43) };
    const user = (...words: string[]) => run(['user', ...words], { environment });
    await leaveData();
    await run(['token', 'create', '--email', 'ada@souk.test', '--name', 'laptop'], { environment });
    const deactivated = await user('deactivate', '--email', 'Ada@souk.test');
    expect(deactivated).toEqual({ code: 0, out: 'Ada@souk.test is deactivated', err: '' });
    const refused = await run(['token', 'create', '--email', 'ada@souk.test', '--name', 'laptop'], { environment });
    expect(refused.err).toContain('has been deactivated');
    const listed = JSON.parse((await user('list', '--search', 'ADA', '--json')).out);
    expect(listed).toMatchObject({ total: 1, users: [{ email: 'ada@souk.test', isActive: false, planId: 'free' }] });
    expect((await user('activate', '--email', 'ada@souk.test')).out).toBe('ada@souk.test is activated');
    expect((await user('deactivate')).code).toBe(64);
    expect((await user('erase', '--email', 'ada@souk.test')).code).toBe(64);
    expect((await user('deactivate', '--email', 'a@b.c', '--provider', 'x')).code).toBe(64);
  });

  test('where there is no data a command makes none, and names the variable; nor does it make a key', async () => {
    const commands = [
      ['manifest', 'list'],
      ['manifest', 'undeploy', 'travel'],
      ['token', 'create', '--email=a@b.c', '--name=x'],
    ];
    for (const command of commands) {
      const { code, err } = await run(command);
      expect({ code, isNamed: err.includes(`DATA_DIR: ${dataDir} has no data`) }).toEqual({ code: 78, isNamed: true });
    }
    expect(readdirSync(dataDir)).toEqual([]);
    await leaveData();
    const withoutKey = await run(['manifest', 'list']);
    expect(withoutKey.code).toBe(78);
    expect(withoutKey.err).toContain('MASTER_KEY is missing');
    expect(existsSync(join(dataDir, 'master.key'))).toBe(false);
    await run(['token', 'create', '--email=a@b.c', '--name=x'], {
      environment: { DATA_DIR: dataDir, MASTER_KEY: 'k'.repeat(43) },
    });
    const otherKey = await run(['manifest', 'list'], {
      environment: { DATA_DIR: dataDir, MASTER_KEY: 'j'.repeat(43) },
    });
    expect(otherKey.err).toContain('sealed with another master key. Set MASTER_KEY');
  });

  test('token create passes provider, days and scopes on', async () => {
    await startBroker();
    const more = ['--provider', 'google', '--expires-days', '30', '--scopes', 'mcp:read, mcp:call'];
    await run(['token', 'create', '--email=a@b.c', '--name=x', ...more]);
    expect(received).toEqual([
      { email: 'a@b.c', name: 'x', provider: 'google', expiresInDays: 30, scopes: ['mcp:read', 'mcp:call'] },
    ]);
  });

  test("the broker's refusal is one line, with exit code 1", async () => {
    await startBroker();
    const result = await run(['token', 'create', '--email', 'nobody@souk.test', '--name', 'x']);
    expect(result).toEqual({ code: 1, out: '', err: 'The broker refused: There is no such user.' });
  });

  test('a database that is away is named, with the exit code of a start', async () => {
    const DATABASE_URL = `postgres://souk:canary@127.0.0.1:${await freePort()}/souk`;
    const environment = { DATA_DIR: dataDir, MASTER_KEY: 'k'.repeat(43), DATABASE_URL };
    const { code, err } = await run(['manifest', 'list'], { environment });
    expect({ code, err }).toEqual({
      code: 69,
      err: 'No broker runs on this machine: the command works on the database of DATABASE_URL itself.\nThe database cannot be reached (ECONNREFUSED). Check DATABASE_URL, and that the database runs.',
    });
  });

  test('credits and what a user has are shown and changed where no broker runs, but nothing is paid back there', async () => {
    const environment = { DATA_DIR: dataDir, MASTER_KEY: 'k'.repeat(43) };
    const ada = (words: string) => run([...words.split(' '), '--email', 'ada@souk.test'], { environment });
    const [user, plan] = ['7d8b4a52-0f0c-4c57-9a3b-2f5a0b6f0001', '7d8b4a52-0f0c-4c57-9a3b-2f5a0b6f0002'];
    await leaveData(
      `insert into users (id, email, display_name, created_at) values ('${user}', 'ada@souk.test', 'Ada', now())`,
      `insert into identities (provider, subject, user_id, created_at) values ('dev', 'ada', '${user}', now())`,
      `insert into plans values ('pro', 'Pro', '', 'T2', 100, 'USD', 'month', '[]', 10, true, 1)`,
      `insert into subscriptions (id, user_id, livemode, plan_id, source, payment_id, started_at, period_ends_at)
       values ('${plan}', '${user}', false, 'pro', 'payment', 'sub_1', now(), now() + interval '9 days')`,
    );
    expect((await ada('credits set --credits 7')).out).toBe('ada@souk.test has 7 credits (+7)');
    const refused = await ada(`user remove --subscription ${plan} --refund`);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('No refund can be made from here') });
    const shown = (await ada('user show')).out;
    expect(shown).toContain('7 credits, 0 held, 0 owed');
    expect(shown, 'it goes on').toContain(`${plan}  plan pro  active, by payment until`);
    const ends =
      /\n {2}Pro plan ends \d{4}-\d\d-\d\d; the payment provider is told as soon as Souk runs and it answers$/;
    expect((await ada('user deactivate')).out).toMatch(ends);
    expect((await ada('user show')).out, 'with its period').toContain(`${plan}  plan pro  active`);
    expect((await ada('user deactivate --end-now')).out).toMatch(ends);
    expect((await ada('user show')).out).not.toContain('plan pro');
    const wrong = [
      'user give',
      'user give --plan pro --rental top',
      'user give --plan pro --period daily',
      'user remove',
    ];
    for (const words of wrong) expect((await ada(words)).code, words).toBe(64);
  });

  test('a scope that does not exist is named in one line, where no broker runs too', async () => {
    const environment = { DATA_DIR: dataDir, MASTER_KEY: 'k'.repeat(43) };
    await leaveData();
    const create = ['token', 'create', '--email=a@b.c', '--name=x', '--scopes=foo'];
    const { code, out, err } = await run(create, { environment });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^scopes\.0: .*"mcp:tools".*$/);
  });

  test('the commands of a word are listed alone', async () => {
    const { code, out } = await run(['manifest', '--help']);
    expect(code).toBe(0);
    expect(out).toContain('manifest undeploy');
    expect(out).not.toContain('token create');
  });

  test.each([
    [['token', 'create'], '--email and --name are required'],
    [['token', 'create', '--email'], 'argument missing'],
    [['token', 'create', '--email', 'a@b.c', '--name', 'x', '--expires-days', '1.5'], 'whole number from 1 to 366'],
    [['token', 'create', '--mail', 'a@b.c'], "Unknown option '--mail'"],
    [['token', 'create', 'extra'], 'npm run souk -- token create --help'],
    [['token', 'destroy'], 'There is no command "token destroy"'],
    [[], 'Usage: npm run souk -- <command>'],
    [['manifest'], '  manifest deploy '],
  ])('bad usage %j exits with 64 and explains the mistake', async (argv, message) => {
    const { code, out, err } = await run(argv);
    expect({ code, out }).toEqual({ code: 64, out: '' });
    expect(err).toContain(message);
    expect(err).not.toMatch(/\n\s+at /);
  });

  test('[CFG-34] the command and each of its commands answer --help', async () => {
    const overall = await run(['--help']);
    expect(overall.code).toBe(0);
    for (const command of ['token create', 'check-config']) {
      expect(overall.out).toContain(command);
      const help = await run([...command.split(' '), '--help']);
      expect(help).toMatchObject({ code: 0, err: '' });
      expect(help.out).toContain(`Usage: npm run souk -- ${command}`);
    }
  });

  test('[CFG-33] check-config reports a valid configuration', async () => {
    expect(await run(['check-config'])).toEqual({ code: 0, out: 'Configuration is valid', err: '' });
  });

  test('[CFG-33] check-config prints every problem at once and exits with 78', async () => {
    const environment = { DATA_DIR: dataDir, PORT: 'x', DATABASE_URL: 'mysql://x' };
    const { code, err } = await run(['check-config'], { environment });
    expect(code).toBe(78);
    expect(err).toContain('PORT');
    expect(err).toContain('DATABASE_URL');
  });

  test('check-config prints the problems of the further checks too', async () => {
    const checks: CliOptions['checks'] = [
      async (_, { manifestsDir }) => [`${manifestsDir}/a.json: name is missing`],
      async () => ['b.json: id is taken'],
    ];
    const { code, err } = await run(['check-config', '--manifests', '/m'], { checks });
    expect(code).toBe(78);
    expect(err).toContain('/m/a.json: name is missing');
    expect(err).toContain('b.json: id is taken');
  });
});
