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

  test('without any variable everything has its default', () => {
    expect(readConfig({})).toEqual({
      production: false,
      port: 3000,
      publicUrl: 'http://localhost:3000',
      host: '127.0.0.1',
      ignoredHost: undefined,
      dataDir: resolve('data'),
      databaseUrl: undefined,
      google: undefined,
      oidc: undefined,
      standIn: true,
      signInAllow: undefined,
      clientDocuments: { advertised: false, served: true },
      outgoingProxy: undefined,
      payments: 'sandbox',
      paymentMethods: ['card'],
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
      logLevel: 'warn',
      metrics: undefined,
      serviceRestartDelayMs: 1000,
      healthIntervalMs: 5000,
      drainGraceMs: 0,
      limits: {
        callsPerMinuteToken: 120,
        callsPerMinuteUser: 300,
        requestsPerMinuteToken: 600,
        callsInFlightPerServer: undefined,
        callsInFlightPerUser: 16,
        signInPerMinute: 20,
      },
      upstreamSecrets: new Map(),
      upstreamAllowAddresses: [],
      catalogueDir: undefined,
      bundledCatalogue: true,
    });
  });

  test('CATALOGUE_DIR is absolute, and BUNDLED_CATALOGUE is on or off', () => {
    expect(readConfig({ CATALOGUE_DIR: 'own', BUNDLED_CATALOGUE: 'off' })).toMatchObject({
      catalogueDir: resolve('own'),
      bundledCatalogue: false,
    });
    expect(problemsOf({ BUNDLED_CATALOGUE: 'no' })).toEqual(['BUNDLED_CATALOGUE: must be on or off']);
  });

  test('UPSTREAM_ALLOW_ADDRESSES takes host:port and CIDR, and names each entry that is neither', () => {
    const entries = ['10.0.0.5:8080', 'mcp.internal:80', '[fd00::5]:8080', '10.0.0.0/8', '[fd00::/8]:8080'];
    expect(readConfig({ UPSTREAM_ALLOW_ADDRESSES: entries.join(', ') }).upstreamAllowAddresses).toEqual(entries);
    const [problem, ...others] = problemsOf({ UPSTREAM_ALLOW_ADDRESSES: '10.0.0.5, 10.0.0.0/8, 10.0.0.0/33' });
    expect(others).toEqual([]);
    expect(problem).toContain('UPSTREAM_ALLOW_ADDRESSES: "10.0.0.5" has no port');
    expect(problem).toContain('"10.0.0.0/33" must have a prefix from 1 to 32');
    expect(problem).not.toContain('10.0.0.0/8"');
  });

  test('an empty variable counts as unset, and space around a value does not count', () => {
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
  });

  test('[CFG-5] DATABASE_URL sets the database', () => {
    expect(readConfig({ DATABASE_URL: 'postgres://db/souk' }).databaseUrl).toBe('postgres://db/souk');
    expect(problemsOf({ DATABASE_URL: 'mysql://db' })).toEqual([expect.stringContaining('DATABASE_URL')]);
  });

  test('the log is quiet on a desk and tells what happens in production; LOG_LEVEL decides', () => {
    expect(readConfig({}).logLevel).toBe('warn');
    expect(readConfig(production).logLevel).toBe('info');
    expect(readConfig({ ...production, LOG_LEVEL: 'error' }).logLevel).toBe('error');
  });

  test('METRICS_PORT serves figures, on this machine unless METRICS_HOST says otherwise', () => {
    expect(readConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ port: 9464, host: '127.0.0.1' });
    expect(readConfig({ METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' }).metrics?.host).toBe('0.0.0.0');
    expect(problemsOf({ METRICS_PORT: '0' })).toEqual([expect.stringContaining('METRICS_PORT')]);
    expect(problemsOf({ METRICS_PORT: '3000' })).toEqual(['METRICS_PORT must be another port than PORT']);
  });

  test("[CFG-10] BRAND_NAME sets the product's name, Souk without it", () => {
    expect(readConfig({ BRAND_NAME: 'Bazaar' }).brandName).toBe('Bazaar');
    expect(readConfig({}).brandName).toBe('Souk');
  });

  test('[CFG-11] SUPPORT_EMAIL sets the contact', () => {
    expect(readConfig({ SUPPORT_EMAIL: 'help@example.com' }).supportEmail).toBe('help@example.com');
  });

  test('[CFG-13] TRUST_PROXY takes addresses and CIDRs, none without it', () => {
    expect(readConfig({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy).toEqual(['10.0.0.0/8', '::1']);
    expect(readConfig({}).trustProxy).toEqual([]);
    expect(problemsOf({ TRUST_PROXY: 'true' })).toEqual([expect.stringContaining('TRUST_PROXY')]);
  });

  test('[CFG-14] MASTER_KEY or MASTER_KEY_FILE gives the master key', () => {
    expect(readConfig({ MASTER_KEY: masterKey }).masterKey).toBe(masterKey);
    expect(readConfig({ MASTER_KEY_FILE: file('key', `${masterKey}\n`) }).masterKey).toBe(masterKey);
    expect(problemsOf({ MASTER_KEY: 'short' })).toEqual([expect.stringContaining('32 bytes')]);
  });

  test.each([
    'DATABASE_URL',
    'GOOGLE_CLIENT_SECRET',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'MASTER_KEY',
  ])('%s may come from a file, which must be there, hold something, and be the only source', (name) => {
    const given = {
      ...google,
      OIDC_ISSUER: 'https://id.acme.example',
      OIDC_CLIENT_ID: 'id',
      OIDC_CLIENT_SECRET: 'secret',
      STRIPE_SECRET_KEY: 'sk',
      STRIPE_WEBHOOK_SECRET: 'whsec',
      DATABASE_URL: 'postgres://db/souk',
      MASTER_KEY: masterKey,
    };
    const { [name]: value, ...others }: NodeJS.ProcessEnv = given;
    const path = file(name, `${value}\n`);
    expect(readConfig({ ...others, [`${name}_FILE`]: path })).toEqual(readConfig(given));
    expect(problemsOf({ ...given, [`${name}_FILE`]: path })).toEqual([expect.stringContaining('both set')]);
    expect(problemsOf({ ...others, [`${name}_FILE`]: '/nowhere' })).toContainEqual(
      `${name}_FILE: cannot read /nowhere`,
    );
    expect(problemsOf({ ...others, [`${name}_FILE`]: file('empty', '\n') })).toContainEqual(
      expect.stringContaining('is empty'),
    );
  });

  test('every problem is reported at once, the dependent ones too', () => {
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
    ['LOG_LEVEL', 'loud', 'must be one of trace, debug, info, warn, error, fatal, silent'],
  ])('%s=%s is refused in words', (name, value, rule) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name}: ${rule}`]);
  });

  test('a DATABASE_URL that is no address is named without its password', () => {
    expect(problemsOf({ DATABASE_URL: 'postgres://u:canary@127.0.0.1:notaport/x' })).toEqual([
      'DATABASE_URL is no address: it must be as postgres://user:password@host:5432/database',
    ]);
    expect(readConfig({ DATABASE_URL: 'postgres:///souk?host=/run/postgresql' }).databaseUrl).toBeDefined();
  });

  test('a wrong OIDC_ISSUER is named beside what is missing of its kin', () => {
    expect(problemsOf({ OIDC_ISSUER: 'x', OIDC_CLIENT_ID: 'id' })).toEqual([
      expect.stringContaining('OIDC_CLIENT_SECRET is missing'),
      'OIDC_ISSUER must be an https address',
    ]);
  });

  test.each([
    ['SERVICE_RESTART_DELAY_MS', 'serviceRestartDelayMs'],
    ['HEALTH_INTERVAL_MS', 'healthIntervalMs'],
    ['DRAIN_GRACE_MS', 'drainGraceMs'],
  ] as const)('%s sets its figure', (name, field) => {
    expect(readConfig({ [name]: '250' })[field]).toBe(250);
    expect(problemsOf({ [name]: '-1' })).toHaveLength(1);
  });

  test('the limits of calls and sign-ins are set by the environment', () => {
    const limits = {
      MCP_CALLS_PER_MINUTE_TOKEN: '1',
      MCP_CALLS_PER_MINUTE_USER: '2',
      MCP_REQUESTS_PER_MINUTE_TOKEN: '6',
      SIGN_IN_PER_MINUTE: '3',
      MCP_IN_FLIGHT_SERVER: '4',
      MCP_IN_FLIGHT_USER: '5',
    };
    expect(readConfig(limits).limits).toEqual({
      callsPerMinuteToken: 1,
      callsPerMinuteUser: 2,
      requestsPerMinuteToken: 6,
      signInPerMinute: 3,
      callsInFlightPerServer: 4,
      callsInFlightPerUser: 5,
    });
    expect(problemsOf({ SIGN_IN_PER_MINUTE: '0' })).toHaveLength(1);
  });
});
