import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { google, masterKey, problemsOf, production } from '#testing/config-problems.ts';
import { ConfigError, readConfig } from './config.ts';

describe('the configuration', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'souk-config-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  test('without any variable every setting has its default', () => {
    const { settings, ...config } = readConfig({});
    // the master key is a file then
    expect(settings.filter(({ origin }) => origin !== 'default').map(({ name }) => name)).toEqual(['MASTER_KEY']);
    expect(config).toEqual({
      secretValues: [],
      production: false,
      programLimits: {
        folderBytes: 256 * 1024 * 1024,
        memoryBytes: 512 * 1024 * 1024,
        personMemoryBytes: 1024 * 1024 * 1024,
        freeDiskBytes: 512 * 1024 * 1024,
      },
      port: 3000,
      publicUrl: 'http://localhost:3000',
      host: '127.0.0.1',
      ignoredHost: undefined,
      dataDir: resolve('data'),
      databaseUrl: undefined,
      listenUrl: undefined,
      google: undefined,
      oidc: undefined,
      standIn: true,
      signInAllow: undefined,
      clientDocuments: { advertised: false, served: true },
      outgoingProxy: undefined,
      payments: 'sandbox',
      mail: { kind: 'demo' },
      alertWebhook: undefined,
      paymentMethods: ['card'],
      checkout: { tax: false, codes: false },
      stripe: undefined,
      adminEmails: ['admin@souk.test'],
      allowDevSignIn: false,
      brandName: 'Souk',
      supportEmail: 'support@souk.test',
      businessEmail: 'business@souk.test',
      contactEmail: 'hello@souk.test',
      trustProxy: [],
      masterKey: undefined,
      stdio: 'allowlist',
      stdioAllowlist: undefined,
      programsCgroup: undefined,
      logLevel: 'warn',
      metrics: undefined,
      telemetry: undefined,
      serviceRestartDelayMs: 1000,
      healthIntervalMs: 5000,
      drainGraceMs: 0,
      proxyKeepAliveMs: 0,
      poolSize: 10,
      limits: {
        callsPerMinuteToken: 120,
        callsPerMinuteUser: 300,
        requestsPerMinuteToken: 600,
        callsInFlightPerServer: undefined,
        api: { perMinuteUser: 1200, perMinuteAddress: 6000 },
        callsInFlightPerUser: 16,
        upstreamConnections: 8192,
        signInPerMinute: 20,
      },
      misspelled: [],
      retention: { callsMonths: 13, usageMonths: 37, auditYears: 10, versionsKept: 100, booksYears: 10 },
      adminMayAllow: { addresses: false, packages: false },
      upstreamSecrets: new Map(),
      upstreamAllowAddresses: [],
      offersFile: undefined,
      legalFiles: { terms: undefined, privacy: undefined, refunds: undefined },
      catalogueDir: undefined,
      bundledCatalogue: true,
    });
  });

  test('TERMS_FILE, PRIVACY_FILE and REFUNDS_FILE are absolute', () => {
    expect(readConfig({ TERMS_FILE: 'a.md', PRIVACY_FILE: 'b.md', REFUNDS_FILE: '/c.md' })).toMatchObject({
      legalFiles: { terms: resolve('a.md'), privacy: resolve('b.md'), refunds: '/c.md' },
    });
  });

  test('CATALOGUE_DIR and OFFERS_FILE are absolute, and BUNDLED_CATALOGUE is on or off', () => {
    expect(readConfig({ CATALOGUE_DIR: 'own', BUNDLED_CATALOGUE: 'off', OFFERS_FILE: 'sold.json' })).toMatchObject({
      offersFile: resolve('sold.json'),
      catalogueDir: resolve('own'),
      bundledCatalogue: false,
    });
    expect(problemsOf({ BUNDLED_CATALOGUE: 'no' })).toEqual(['BUNDLED_CATALOGUE: must be on or off']);
  });

  test('UPSTREAM_ALLOW_ADDRESSES accepts host:port and CIDR, and every other entry is named', () => {
    const entries = ['10.0.0.5:8080', 'mcp.internal:80', '[fd00::5]:8080', '10.0.0.0/8', '[fd00::/8]:8080'];
    expect(readConfig({ UPSTREAM_ALLOW_ADDRESSES: entries.join(', ') }).upstreamAllowAddresses).toEqual(entries);
    const [problem, ...others] = problemsOf({ UPSTREAM_ALLOW_ADDRESSES: '10.0.0.5, 10.0.0.0/8, 10.0.0.0/33' });
    expect(others).toEqual([]);
    expect(problem).toContain('UPSTREAM_ALLOW_ADDRESSES: "10.0.0.5" has no port');
    expect(problem).toContain('"10.0.0.0/33" must have a prefix from 1 to 32');
    expect(problem).not.toContain('10.0.0.0/8"');
  });

  test('an empty variable counts as unset, and space around a value is ignored', () => {
    expect(readConfig({ PORT: '', BRAND_NAME: ' ', DATABASE_URL: '' })).toEqual(readConfig({}));
    expect(readConfig({ PORT: ' 80 ' }).port).toBe(80);
  });

  test('[CFG-2] PORT sets the port, 3000 without it', () => {
    expect(readConfig({ PORT: '8080' }).port).toBe(8080);
    expect(readConfig({}).port).toBe(3000);
  });

  test('[CFG-3] PUBLIC_URL is http://localhost:{PORT} without it, and an origin', () => {
    expect(readConfig({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
    expect(readConfig({ PUBLIC_URL: 'http://localhost:9/' }).publicUrl).toBe('http://localhost:9');
  });

  test('[CFG-4] DATA_DIR is ./data without it, and absolute', () => {
    expect(readConfig({}).dataDir).toBe(resolve('data'));
    expect(readConfig({ DATA_DIR: '/var/lib/souk' }).dataDir).toBe('/var/lib/souk');
    expect(readConfig({ DATA_DIR: '/var/lib/souk/' }).dataDir).toBe('/var/lib/souk');
  });

  test('[CFG-5] DATABASE_URL sets the database', () => {
    expect(readConfig({ DATABASE_URL: 'postgres://db/souk' }).databaseUrl).toBe('postgres://db/souk');
    expect(problemsOf({ DATABASE_URL: 'mysql://db' })).toEqual([expect.stringContaining('DATABASE_URL')]);
    const [pooled, direct] = ['postgres://pool/souk', 'postgres://db/souk'];
    expect(readConfig({ DATABASE_URL: pooled, DATABASE_LISTEN_URL: direct }).listenUrl).toBe(direct);
    expect(problemsOf({ DATABASE_LISTEN_URL: direct })).toEqual(['DATABASE_LISTEN_URL is set without DATABASE_URL']);
    expect(problemsOf({ DATABASE_URL: pooled, DATABASE_LISTEN_URL: 'db' })).toEqual([
      'DATABASE_LISTEN_URL must begin with postgres:// or postgresql://',
    ]);
  });

  test("the log is quiet on a developer's machine and informative in production; LOG_LEVEL decides", () => {
    expect(readConfig({}).logLevel).toBe('warn');
    expect(readConfig(production).logLevel).toBe('info');
    expect(readConfig({ ...production, LOG_LEVEL: 'error' }).logLevel).toBe('error');
  });

  test('METRICS_PORT serves figures, on this machine only unless METRICS_HOST says otherwise', () => {
    expect(readConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ port: 9464, host: '127.0.0.1' });
    expect(readConfig({ METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' }).metrics?.host).toBe('0.0.0.0');
    expect(problemsOf({ METRICS_PORT: '0' })).toEqual([expect.stringContaining('METRICS_PORT')]);
    expect(problemsOf({ METRICS_PORT: '3000' })).toEqual(['METRICS_PORT must be another port than PORT']);
  });

  test('a collector has an address, and may have headers whose values are secret', () => {
    const headers = 'authorization=Bearer%20a%3Db,x-tenant=t=1';
    const { telemetry, secretValues } = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example:4318',
      OTEL_EXPORTER_OTLP_HEADERS: headers,
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(telemetry).toEqual({
      endpoint: 'https://collector.example:4318',
      headers: { authorization: 'Bearer a=b', 'x-tenant': 't=1' },
      serviceName: 'souk',
      tracedShare: 0.25,
    });
    expect(secretValues).toEqual(expect.arrayContaining(['Bearer a=b', 't=1']));
  });

  test("[CFG-10] BRAND_NAME sets the product's name, Souk without it", () => {
    expect(readConfig({ BRAND_NAME: 'Bazaar' }).brandName).toBe('Bazaar');
    expect(readConfig({}).brandName).toBe('Souk');
  });

  test('[CFG-11] SUPPORT_EMAIL sets the contact', () => {
    expect(readConfig({ SUPPORT_EMAIL: 'help@example.com' }).supportEmail).toBe('help@example.com');
  });

  test('[CFG-13] TRUST_PROXY accepts addresses and CIDRs, none without it', () => {
    expect(readConfig({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy).toEqual(['10.0.0.0/8', '::1']);
    expect(readConfig({}).trustProxy).toEqual([]);
    expect(problemsOf({ TRUST_PROXY: 'true' })).toEqual([expect.stringContaining('TRUST_PROXY')]);
  });

  test('[CFG-14] MASTER_KEY or MASTER_KEY_FILE gives the master key', () => {
    expect(readConfig({ MASTER_KEY: masterKey }).masterKey).toBe(masterKey);
    expect(readConfig({ MASTER_KEY_FILE: file('key', `${masterKey}\n`) }).masterKey).toBe(masterKey);
    expect(problemsOf({ MASTER_KEY: 'short' })).toEqual([expect.stringContaining('32 bytes')]);
    expect(problemsOf({ MASTER_KEY_NEXT: 'short' })).toEqual([
      'MASTER_KEY_NEXT must be 32 bytes in base64url (43 characters)',
    ]);
  });

  test.each([
    'DATABASE_URL',
    'GOOGLE_CLIENT_SECRET',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'MASTER_KEY',
    'MASTER_KEY_NEXT',
    'OTEL_EXPORTER_OTLP_HEADERS',
  ])('%s may come from a file, which must exist, have content, and be the only source', (name) => {
    const given = {
      ...google,
      OIDC_ISSUER: 'https://id.acme.example',
      OIDC_CLIENT_ID: 'id',
      OIDC_CLIENT_SECRET: 'secret',
      STRIPE_SECRET_KEY: 'sk',
      STRIPE_WEBHOOK_SECRET: 'whsec',
      DATABASE_URL: 'postgres://db/souk',
      MASTER_KEY: masterKey,
      MASTER_KEY_NEXT: masterKey,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a',
    };
    const { [name]: value, ...others }: NodeJS.ProcessEnv = given;
    const path = file(name, `${value}\n`);
    // the same setting, which names the file as its source
    const place = { origin: 'secret-file', file: path };
    const settings = readConfig(given).settings.map((one) => (one.name === name ? { ...one, ...place } : one));
    expect(readConfig({ ...others, [`${name}_FILE`]: path })).toEqual({ ...readConfig(given), settings });
    expect(problemsOf({ ...given, [`${name}_FILE`]: path })).toEqual([expect.stringContaining('both set')]);
    // the problem of the irreplaceable key says so
    const remedy = ': restore the key of this installation there, since no other key opens its secrets';
    expect(problemsOf({ ...others, [`${name}_FILE`]: '/nowhere' })).toContainEqual(
      `${name}_FILE: cannot read /nowhere${name === 'MASTER_KEY' ? remedy : ''}`,
    );
    expect(problemsOf({ ...others, [`${name}_FILE`]: file('empty', '\n') })).toContainEqual(
      expect.stringContaining('is empty'),
    );
  });

  test('all problems are reported together, including dependent ones', () => {
    const problems = problemsOf({
      NODE_ENV: 'production',
      PORT: '70000',
      PUBLIC_URL: 'http://souk.example/path',
      GOOGLE_CLIENT_ID: 'id',
      STRIPE_SECRET_KEY: 'sk',
      ADMIN_EMAILS: 'x',
      DATABASE_URL: 'mysql://x',
      MASTER_KEY_FILE: '/nowhere',
      LOG_LEVEL: 'loud',
      ALLOW_DEV_SIGN_IN: 'yes',
      HEALTH_INTERVAL_MS: '1.5',
    });
    const expected = [
      'MASTER_KEY_FILE: cannot read',
      'PORT: must be a whole number from 1 to 65535',
      'ADMIN_EMAILS',
      'ALLOW_DEV_SIGN_IN: must be 0 or 1',
      'LOG_LEVEL',
      'HEALTH_INTERVAL_MS',
      'PUBLIC_URL must be an origin',
      'GOOGLE_CLIENT_SECRET is missing',
      'STRIPE_WEBHOOK_SECRET is missing',
      'The stand-in for Stripe is refused in production',
      'PUBLIC_URL is not loopback',
      'PUBLIC_URL must be https in production',
      'MASTER_KEY (or MASTER_KEY_FILE) must be set in production',
      'DATABASE_URL must begin with',
    ];
    for (const text of expected) expect(problems).toContainEqual(expect.stringContaining(text));
    expect(problems).toHaveLength(expected.length);
    expect(new ConfigError(problems).message).toContain(`${expected.length} problems`);
  });

  test.each([
    ['NODE_ENV', 'prod', 'must be production, development or test'],
    ['NODE_ENV', 'Production', 'must be production, development or test'],
    ['HOST', 'a b', 'must be an address or a name of this machine'],
    ['METRICS_HOST', 'http://127.0.0.1', 'must be an address or a name of this machine'],
    ['STDIO', 'on', 'must be off or allowlist'],
    ['ADMIN_MAY_ALLOW', 'addresses, everything', 'must be addresses, packages, or both, separated by a comma'],
    ['LOG_LEVEL', 'loud', 'must be one of trace, debug, info, warn, error, fatal, silent'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'must be an http or https address'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key', 'must be headers as name=value, separated by commas'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key=%zz', 'must be headers as name=value, separated by commas'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'must be a share from 0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half', 'must be a share from 0 to 1'],
  ])('%s=%s is refused with a reason', (name, value, rule) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name}: ${rule}`]);
  });

  test('an invalid DATABASE_URL is reported without its password', () => {
    expect(problemsOf({ DATABASE_URL: 'postgres://u:canary@127.0.0.1:notaport/x' })).toEqual([
      'DATABASE_URL is not an address: it must look like postgres://user:password@host:5432/database',
    ]);
    expect(readConfig({ DATABASE_URL: 'postgres:///souk?host=/run/postgresql' }).databaseUrl).toBeDefined();
  });

  test('an invalid OIDC_ISSUER is reported together with the missing variables of the provider', () => {
    expect(problemsOf({ OIDC_ISSUER: 'x', OIDC_CLIENT_ID: 'id' })).toEqual([
      expect.stringContaining('OIDC_CLIENT_SECRET is missing'),
      'OIDC_ISSUER must be an https address',
    ]);
  });

  test.each([
    ['SERVICE_RESTART_DELAY_MS', 'serviceRestartDelayMs'],
    ['HEALTH_INTERVAL_MS', 'healthIntervalMs'],
    ['DRAIN_GRACE_MS', 'drainGraceMs'],
    ['PROXY_KEEP_ALIVE_MS', 'proxyKeepAliveMs'],
  ] as const)('%s sets its figure', (name, field) => {
    expect(readConfig({ [name]: '250' })[field]).toBe(250);
    expect(problemsOf({ [name]: '-1' })).toHaveLength(1);
  });

  test('SMTP_URL is a mail server, and with a user no mail is sent without TLS', () => {
    const serverOf = (url: string) => readConfig({ SMTP_URL: url }).mail;
    const server = { host: 'mail.example', port: 587, secure: false, requireTls: false };
    expect(serverOf('smtp://mail.example')).toMatchObject({ kind: 'smtp', server });
    expect(serverOf('smtp://shop:p%40ss@mail.example')).toMatchObject({
      server: { ...server, requireTls: true, user: 'shop', password: 'p@ss' },
    });
    expect(serverOf('smtps://shop:pass@mail.example')).toMatchObject({ server: { port: 465, secure: true } });
    expect(serverOf('smtp://shop:pass@localhost:2525')).toMatchObject({ server: { port: 2525, requireTls: false } });
    expect(readConfig({ ...google }).mail).toEqual({ kind: 'off' });
    expect(problemsOf({ ...production, SMTP_URL: 'smtp://mail.example' })).toEqual([
      'SMTP_URL is set without SUPPORT_EMAIL, which e-mails are sent from',
    ]);
    expect(problemsOf({ SMTP_URL: 'smtp://mail.example', ALLOW_DEV_SIGN_IN: '1' })).toEqual([
      'SMTP_URL and ALLOW_DEV_SIGN_IN exclude each other: anyone could have e-mails sent to any address',
    ]);
    expect(
      problemsOf({ SMTP_URL: 'smtp://mail.example?tls=off', ALERT_WEBHOOK_SECRET: 'a-long-enough-secret' }),
    ).toEqual([
      'SMTP_URL must have only a scheme, user, password, host and port, without a path or options',
      'ALERT_WEBHOOK_SECRET is set without ALERT_WEBHOOK_URL',
    ]);
  });

  test('the environment sets the limits of calls and sign-ins', () => {
    const limits = {
      MCP_CALLS_PER_MINUTE_TOKEN: '1',
      MCP_CALLS_PER_MINUTE_USER: '2',
      MCP_REQUESTS_PER_MINUTE_TOKEN: '6',
      SIGN_IN_PER_MINUTE: '3',
      MCP_IN_FLIGHT_SERVER: '4',
      MCP_IN_FLIGHT_USER: '5',
      UPSTREAM_CONNECTIONS: '6',
      API_REQUESTS_PER_MINUTE_USER: '70',
      API_REQUESTS_PER_MINUTE_ADDRESS: '80',
    };
    expect(readConfig(limits).limits).toEqual({
      callsPerMinuteToken: 1,
      callsPerMinuteUser: 2,
      requestsPerMinuteToken: 6,
      signInPerMinute: 3,
      callsInFlightPerServer: 4,
      callsInFlightPerUser: 5,
      upstreamConnections: 6,
      api: { perMinuteUser: 70, perMinuteAddress: 80 },
    });
    expect(problemsOf({ SIGN_IN_PER_MINUTE: '0' })).toHaveLength(1);
  });
});
