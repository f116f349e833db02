import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '#platform/db/open-database.ts';
import { SoukError } from '#platform/errors.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { freePort } from '#testing/network/free-port.ts';
import { migrations } from '../../migrations.ts';
import { version } from '../../version.ts';
import { runSouk } from './testing/run-souk.ts';
import type { CliOptions } from './command.ts';

const masterKey = randomBytes(32).toString('base64url');

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
        'system.show': async () => {
          throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
        },
      },
    });
  };
  /** Leaves the data of a broker that has started here once. */
  const leaveData = (...statements: string[]) => writeTo(undefined, ...statements);
  const writeTo = async (databaseUrl: string | undefined, ...statements: string[]) => {
    const db = await openDatabase({ databaseUrl, dataDir, log: pino({ level: 'silent' }), migrations });
    for (const statement of statements) await db.query(statement);
    await db.close();
  };
  /**
   * The same for many commands, each of which opens the database again: on PostgreSQL if available, since opening the
   * embedded one takes a second of processor time. The tests share it, and none looks for another one's rows.
   * @returns the environment of the commands
   */
  const leaveDataForMany = async (...statements: string[]) => {
    await writeTo(sharedUrl, ...statements);
    return { DATA_DIR: dataDir, MASTER_KEY: masterKey, ...(sharedUrl !== undefined && { DATABASE_URL: sharedUrl }) };
  };
  let sharedUrl: string | undefined;
  beforeAll(async () => {
    if (hasPostgres()) sharedUrl = await createPostgresDatabase(migrations);
  });
  beforeEach(() => {
    dataDir = mkdtempSync(join(temporaryRoot(), 'souk-cli-'));
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    received.length = 0;
    rmSync(dataDir, { recursive: true });
  });

  test('[CFG-23] token create asks the running broker and prints only the token', async () => {
    await startBroker();
    const result = await run(['token', 'create', '--email', 'ada@souk.test', '--name', 'laptop']);
    expect(result).toEqual({ code: 0, out: 'pat_1234', err: '' });
    expect(received).toEqual([{ email: 'ada@souk.test', name: 'laptop', operator: userInfo().username }]);
  });

  test("a manifest's texts reach the terminal only as text, and --json without a change of meaning", async () => {
    const hostile = 'x\u001B]0;owned\u0007\u009B2J\u202E\u{E0041}';
    const stdin = async () => Buffer.from(JSON.stringify({ [hostile]: 1 }));
    const environment = { DATA_DIR: dataDir };
    const control = /[\p{Cc}\p{Cf}]/u;
    const said = await run(['manifest', 'check', '-'], { stdin, environment });
    expect(said.code).toBe(1);
    expect(said.err).toBe(
      `No broker was asked, since none runs on the data folder ${dataDir}: addresses and programs were judged by the variables of this command. Set DATA_DIR to the folder of your broker to check by its rules.`,
    );
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

  test('user list, deactivate and activate work on the database itself if no broker runs', async () => {
    const environment = await leaveDataForMany();
    const user = (...words: string[]) => run(['user', ...words], { environment });
    const create = ['token', 'create', '--email', 'bob@souk.test', '--name', 'laptop'];
    await run(create, { environment });
    const deactivated = await user('deactivate', '--email', 'Bob@souk.test');
    expect(deactivated).toMatchObject({ code: 0, out: 'Bob@souk.test is deactivated' });
    const refused = await run(create, { environment });
    expect(refused.err).toContain('has been deactivated');
    const listed = JSON.parse((await user('list', '--search', 'BOB', '--json')).out);
    expect(listed).toMatchObject({ total: 1, users: [{ email: 'bob@souk.test', isActive: false, planId: 'free' }] });
    expect((await user('activate', '--email', 'bob@souk.test')).out).toBe('bob@souk.test is activated');
    expect((await user('deactivate')).code).toBe(64);
    expect((await user('erase', '--email', 'bob@souk.test')).code).toBe(64);
    expect((await user('deactivate', '--email', 'a@b.c', '--provider', 'x')).code).toBe(64);
  });

  test('without data a command creates none and names the variable; nor does it create a key', async () => {
    const commands = [
      ['manifest', 'list'],
      ['manifest', 'undeploy', 'travel'],
      ['token', 'create', '--email=a@b.c', '--name=x'],
    ];
    // before any other error of the command
    for (const command of [...commands, ['token', 'create'], ['server', 'log', 'travel'], ['payments', 'flagged']]) {
      const { code, err } = await run(command);
      expect({ code, isNamed: err.includes(`DATA_DIR: ${dataDir} has no data`) }).toEqual({ code: 78, isNamed: true });
    }
    expect(readdirSync(dataDir)).toEqual([]);
    await leaveData();
    const withoutKey = await run(['manifest', 'list']);
    expect(withoutKey.code).toBe(78);
    expect(withoutKey.err).toContain('MASTER_KEY is missing');
    expect(existsSync(join(dataDir, 'master.key'))).toBe(false);
    const environment = await leaveDataForMany();
    await run(['token', 'create', '--email=a@b.c', '--name=x'], { environment });
    const otherKey = await run(['manifest', 'list'], {
      environment: { ...environment, MASTER_KEY: randomBytes(32).toString('base64url') },
    });
    expect(otherKey.err).toContain('sealed with another master key. Set MASTER_KEY');
  });

  test('the data folder is named if it does not exist, or is not a folder', async () => {
    const list = async (folder: string) => {
      const { code, err } = await run(['manifest', 'list'], { environment: { DATA_DIR: folder } });
      expect(code).toBe(78);
      return err;
    };
    const [away, file] = [join(dataDir, 'away'), join(dataDir, 'file')];
    writeFileSync(file, '');
    expect(await list(away)).toContain(`DATA_DIR: ${away} does not exist. Set DATA_DIR to the folder of the broker`);
    expect(await list(file)).toContain(`DATA_DIR: ${file} is not a folder.`);
    expect(existsSync(away)).toBe(false);
  });

  test('--env-file reads variables from a file, and variables that are set take precedence', async () => {
    await startBroker();
    const create = ['token', 'create', '--email', 'ada@souk.test', '--name', 'laptop'];
    const file = join(dataDir, 'souk.env');
    const wrong = join(dataDir, 'wrong.env');
    writeFileSync(file, `# the broker's\nDATA_DIR="${dataDir}"\n`);
    writeFileSync(wrong, 'DATA_DIR=/nowhere\n');
    for (const argv of [['--env-file', file], [`--env-file=${file}`], ['--env-file', wrong, '--env-file', file]]) {
      expect(await run([...argv, ...create], { environment: {} })).toEqual({ code: 0, out: 'pat_1234', err: '' });
    }
    const set = await run(['--env-file', wrong, ...create], { environment: { DATA_DIR: dataDir } });
    expect(set.code).toBe(0);
    for (const argv of [['--env-file', join(dataDir, 'no.env')], ['--env-file'], ['--env-file=']]) {
      const { code, err } = await run([...argv, ...(argv.length > 1 ? create : [])], { environment: {} });
      expect({ code, isNamed: /^ {2}- --env-file/m.test(err) }).toEqual({ code: 78, isNamed: true });
    }
  });

  test('a shop without a server says how to add some', async () => {
    const environment = await leaveDataForMany();
    const how =
      'Deploy a manifest: npm run souk -- manifest deploy FILE|ID (docs/manifests.md says what a manifest is).';
    expect((await run(['manifest', 'list'], { environment })).out).toBe(`The catalog is empty. ${how}`);
    const manifest = { id: 'one', name: 'One', serviceType: 'mcp', version: '1', description: 'd', category: 'data' };
    const connection = { type: 'http', url: 'https://one.example/mcp' };
    const stdin = async () => Buffer.from(JSON.stringify({ ...manifest, connection }));
    await run(['manifest', 'stage', '-'], { environment, stdin });
    expect((await run(['manifest', 'list'], { environment })).out).toContain(
      `\nNothing is deployed, so the shop is empty. ${how}\n`,
    );
  });

  test('token create passes provider, days and scopes on', async () => {
    await startBroker();
    const more = ['--provider', 'google', '--expires-days', '30', '--scopes', 'mcp:read, mcp:call'];
    await run(['token', 'create', '--email=a@b.c', '--name=x', ...more]);
    expect(received).toEqual([
      {
        email: 'a@b.c',
        name: 'x',
        provider: 'google',
        expiresInDays: 30,
        scopes: ['mcp:read', 'mcp:call'],
        operator: userInfo().username,
      },
    ]);
  });

  test("the broker's refusal is one line, with exit code 1", async () => {
    await startBroker();
    const result = await run(['token', 'create', '--email', 'nobody@souk.test', '--name', 'x']);
    expect(result).toEqual({ code: 1, out: '', err: 'The broker refused: There is no such user.' });
  });

  test('a database that is down is named, with the exit code of a start', async () => {
    const DATABASE_URL = `postgres://souk:canary@127.0.0.1:${await freePort()}/souk`;
    const environment = { DATA_DIR: dataDir, MASTER_KEY: masterKey, DATABASE_URL };
    const { code, err } = await run(['manifest', 'list'], { environment });
    expect({ code, err }).toEqual({
      code: 69,
      err: 'No broker runs on this machine: the command works on the database of DATABASE_URL itself.\nThe database cannot be reached (ECONNREFUSED). Check DATABASE_URL, and that the database runs.',
    });
  });

  test('if the database of a running broker is down, that is said, with the exit code of an unavailable service', async () => {
    await startBroker();
    expect(await run(['system'])).toEqual({
      code: 69,
      out: '',
      err: "The broker's database cannot be reached (connect ECONNREFUSED 127.0.0.1:5432). Check that it runs, and DATABASE_URL of the broker.",
    });
  });

  test('offers are shown and archived if no broker runs, with the sentences of the screen', async () => {
    const environment = await leaveDataForMany(
      `insert into plans values ('solo', 'Solo', '', 'T2', 1000, 'USD', 'month', '[]', 10, true, 9)`,
      `insert into plan_prices values ('price_1', 'solo', 800, 'USD', 10)`,
      `insert into subscriptions (id, user_id, livemode, plan_id, source, payment_id, started_at, price_id, price_amount, price_currency)
       values (gen_random_uuid(), gen_random_uuid(), false, 'solo', 'payment', 'sub_9', now(), 'price_1', 800, 'USD')`,
    );
    const souk = (words: string) => run(words.split(' '), { environment });
    expect((await souk('offers list')).out).toContain('solo: Solo, $10/month, 1 subscribed, 1 at an older price');
    const effects =
      'No one else can subscribe to Solo from now on.\n1 subscriber keeps it, and it goes on renewing at the price they have.';
    expect((await souk('offers archive solo --check')).out).toBe(`${effects}\nNothing is changed yet.`);
    expect((await souk('offers show solo')).out).toBe(
      'Solo: $10/month\n  1 subscribed at $8/month, 10 credits a month',
    );
    expect((await souk('offers archive solo')).out).toBe(effects);
    expect((await souk('offers list')).out).toMatch(
      /^solo: Solo, .* archived, edited here: offers\.json no longer changes it$/m,
    );
    expect((await souk('offers show solo')).out).toMatch(/offer\.archived by .+, by command/);
    expect(await souk('offers archive free-beer')).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no offer free-beer'),
    });
    expect(await souk('offers preview-move solo')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing is sold here, or Souk does not run: start it'),
    });
  });

  test("a user's credits and items are shown and changed if no broker runs, but nothing is refunded then", async () => {
    const [user, plan] = ['7d8b4a52-0f0c-4c57-9a3b-2f5a0b6f0001', '7d8b4a52-0f0c-4c57-9a3b-2f5a0b6f0002'];
    const environment = await leaveDataForMany(
      `insert into users (id, email, display_name, created_at) values ('${user}', 'ada@souk.test', 'Ada', now())`,
      `insert into identities (provider, subject, user_id, created_at) values ('dev', 'ada', '${user}', now())`,
      `insert into plans values ('pro', 'Pro', '', 'T2', 100, 'USD', 'month', '[]', 10, true, 1)`,
      `insert into subscriptions (id, user_id, livemode, plan_id, source, payment_id, started_at, period_ends_at)
       values ('${plan}', '${user}', false, 'pro', 'payment', 'sub_1', now(), now() + interval '9 days')`,
    );
    const ada = (words: string) => run([...words.split(' '), '--email', 'ada@souk.test'], { environment });
    expect((await ada('credits set --credits 7')).out).toBe('ada@souk.test has 7 credits (+7)');
    const refused = await ada(`user remove --subscription ${plan} --refund`);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('No refund can be made from here') });
    const shown = (await ada('user show')).out;
    expect(shown).toContain('7 credits, 0 held, 0 owed');
    expect(shown, 'it continues').toContain(`${plan}  plan pro  active, by payment until`);
    const ends =
      /\n {2}Pro plan ends \d{4}-\d\d-\d\d; canceled at the payment provider as soon as Souk runs and it answers$/;
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

  test('a scope that does not exist is named in one line, also if no broker runs', async () => {
    const environment = await leaveDataForMany();
    const create = ['token', 'create', '--email=a@b.c', '--name=x', '--scopes=foo'];
    const { code, out, err } = await run(create, { environment });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err.split('\n').at(-1)).toMatch(/^scopes\.0: .*"mcp:tools".*$/);
  });

  test('the commands of a group are listed separately', async () => {
    const { code, out } = await run(['manifest', '--help']);
    expect(code).toBe(0);
    expect(out).toContain('manifest undeploy');
    expect(out).not.toContain('token create');
  });

  test.each([
    [['token', 'create'], '--email and --name are required'],
    [['token', 'create', '--env-file'], "Unknown option '--env-file'"],
    [['token', 'create', '--email'], 'argument missing'],
    [['token', 'create', '--email', 'a@b.c', '--name', 'x', '--expires-days', '1.5'], 'whole number from 1 to 366'],
    [['token', 'create', '--mail', 'a@b.c'], "Unknown option '--mail'"],
    [['token', 'create', 'extra'], 'npm run souk -- token create --help'],
    [['token', 'destroy'], 'There is no command "token destroy"'],
    [[], 'Usage: npm run souk -- [--env-file FILE] <command>'],
    [['manifest'], '  manifest deploy '],
  ])('bad usage %j exits with 64 and explains the mistake', async (argv, message) => {
    await startBroker();
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

  test('[CFG-33] check-config prints all problems together and exits with 78', async () => {
    const environment = { DATA_DIR: dataDir, PORT: 'x', DATABASE_URL: 'mysql://x' };
    const { code, err } = await run(['check-config'], { environment });
    expect(code).toBe(78);
    expect(err).toContain('PORT');
    expect(err).toContain('DATABASE_URL');
  });

  test('check-config names a variable that is one letter away from a known one', async () => {
    const said = 'BRAND_NAM is not a variable of Souk: did you mean BRAND_NAME?';
    const environment = { DATA_DIR: dataDir, BRAND_NAM: 'x' };
    const valid = { code: 0, out: 'Configuration is valid', err: `Warning: ${said}` };
    expect(await run(['check-config'], { environment })).toEqual(valid);
    const invalid = await run(['check-config'], { environment: { ...environment, PORT: 'x' } });
    expect(invalid).toMatchObject({ code: 78, err: expect.stringContaining(`  - ${said}`) });
  });

  test.each(['embedded', ...(hasPostgres() ? ['PostgreSQL'] : [])])(
    'check-config reads what is deployed if no broker runs (%s)',
    async (kind) => {
      const isEmbedded = kind === 'embedded';
      const key = { MASTER_KEY: masterKey };
      const url = isEmbedded ? undefined : await createPostgresDatabase();
      const environment = { DATA_DIR: dataDir, ...(url !== undefined && { DATABASE_URL: url }) };
      const check = async (env: NodeJS.ProcessEnv = key) => {
        const { code, out, err } = await run(['check-config'], { environment: { ...environment, ...env } });
        return code === 0 ? out + err : err.split('\n').slice(1).join('\n');
      };
      expect(await check({}), 'nothing is there yet').toBe('Configuration is valid');
      if (isEmbedded) await leaveData();
      const manifest = { id: 'one', name: 'One', serviceType: 'mcp', version: '1', description: 'd', category: 'data' };
      const source = Buffer.from(JSON.stringify({ ...manifest, connection: { type: 'stdio', command: 'memory' } }));
      const deployed = await run(['manifest', 'deploy', '-'], {
        environment: { ...environment, ...key },
        stdin: async () => source,
      });
      expect(deployed.code, deployed.err).toBe(0);
      expect(await check({ ...key, STDIO: 'off' })).toBe(
        'Configuration is valid' +
          'Warning: deployed server one: the program memory is not started, since STDIO is off: set STDIO=allowlist and start again, or undeploy the server (npm run souk -- manifest undeploy one)',
      );
      const place = isEmbedded ? join(dataDir, 'db') : 'DATABASE_URL';
      expect(await check({})).toContain(
        `  - MASTER_KEY is not set and ${join(dataDir, 'master.key')} is missing, but the secrets of the database (${place}) were`,
      );
      expect(readdirSync(dataDir)).not.toContain('master.key');
      // the rest is the same on both
      if (isEmbedded && hasPostgres()) return;
      expect(await check()).toBe('Configuration is valid');
      await writeTo(
        url,
        `insert into kysely_migration values ('9999-of-tomorrow', '2999')`,
        `insert into migration_versions values ('9999-of-tomorrow', '7.0.0')`,
      );
      expect(await check()).toContain('  - the database was changed by version 7.0.0');
      const listed = await run(['manifest', 'list'], { environment: { ...environment, ...key } });
      expect(listed).toMatchObject({ code: 78, out: '' });
      expect(listed.err.split('\n').at(-1)).toBe(
        `The command cannot run: the database was changed by version 7.0.0 (its migration 9999-of-tomorrow), and this is version ${version}, which does not know that change. Start version 7.0.0 again, or restore a backup from before the upgrade.`,
      );
    },
  );

  test('check-config says that a database that is down was not checked', async () => {
    const DATABASE_URL = `postgres://souk:canary@127.0.0.1:${await freePort()}/souk`;
    expect(await run(['check-config'], { environment: { DATA_DIR: dataDir, DATABASE_URL } })).toEqual({
      code: 0,
      out: 'Configuration is valid',
      err: 'Warning: the database cannot be reached: the deployed servers were not checked',
    });
  });

  test('check-config tries the control group for programs', async () => {
    const check = (env: NodeJS.ProcessEnv) => run(['check-config'], { environment: { DATA_DIR: dataDir, ...env } });
    expect(await check({ PROGRAMS_CGROUP: dataDir })).toMatchObject({
      code: 78,
      err: expect.stringContaining(`  - PROGRAMS_CGROUP cannot be used (${dataDir} is not a control group)`),
    });
    expect(await check({ PROGRAMS_CGROUP: dataDir, STDIO: 'off' })).toMatchObject({ code: 0 });
    // together with a problem of the variables too
    const both = await check({ PROGRAMS_CGROUP: dataDir, PROGRAM_MEMORY_MB: '1025' });
    expect(both).toMatchObject({ code: 78 });
    expect(both.err.split('\n').slice(1)).toEqual([
      '  - PERSONAL_MEMORY_MB (1024) must be at least PROGRAM_MEMORY_MB (1025): one program of a user may take that much',
      `  - PROGRAMS_CGROUP cannot be used (${dataDir} is not a control group)`,
    ]);
    expect(await check({ PROGRAM_MEMORY_MB: '1025', STDIO: 'off' })).toMatchObject({ code: 0 });
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
