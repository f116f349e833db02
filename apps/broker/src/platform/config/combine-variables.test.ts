import { describe, expect, test } from 'vitest';
import { google, problemsOf, production } from '#testing/config-problems.ts';
import { readConfig } from '../config.ts';

describe('variables that several settings depend on', () => {
  test('[CFG-6] GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET set Google sign-in, both or neither', () => {
    expect(readConfig(google).google).toEqual({ clientId: 'id', clientSecret: 'secret' });
    expect(problemsOf({ GOOGLE_CLIENT_ID: 'id' })).toEqual([
      expect.stringContaining('GOOGLE_CLIENT_SECRET is missing'),
    ]);
    expect(problemsOf({ GOOGLE_CLIENT_SECRET: 's' })).toEqual([expect.stringContaining('GOOGLE_CLIENT_ID is missing')]);
  });

  describe('a company’s own sign-in provider', () => {
    const oidc = { OIDC_ISSUER: 'https://id.acme.example/realm', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' };

    test('counts like Google: no stand-in, listening everywhere, allowed in production, no default administrator', () => {
      const read = readConfig({ PAYMENTS: 'off', ...oidc, ADMIN_EMAILS: 'ana@acme.example' });
      const name = 'id.acme.example';
      const provider = { issuer: oidc.OIDC_ISSUER, clientId: 'id', clientSecret: 'secret', name, trustEmail: false };
      expect(read).toMatchObject({ oidc: provider, standIn: false, google: undefined, host: '0.0.0.0' });
      expect(readConfig(oidc).adminEmails).toEqual([]);
      expect(read.adminEmails).toEqual(['ana@acme.example']);
      const { GOOGLE_CLIENT_ID: _id, GOOGLE_CLIENT_SECRET: _secret, ...without } = production;
      expect(problemsOf(without)).not.toEqual([]);
      expect(problemsOf({ ...without, ...oidc })).toEqual([]);
      expect(readConfig({ ...google, ...oidc })).toMatchObject({ google: { clientId: 'id' }, oidc: provider });
      expect(readConfig({ ...oidc, OIDC_NAME: 'Acme', OIDC_TRUST_EMAIL: '1' }).oidc).toMatchObject({
        name: 'Acme',
        trustEmail: true,
      });
    });

    test('issuer, id and secret go together, and settings of a provider need one', () => {
      for (const name of Object.keys(oidc)) {
        expect(problemsOf({ ...oidc, [name]: undefined })).toEqual([expect.stringContaining(`${name} is missing`)]);
      }
      expect(problemsOf({ OIDC_TRUST_EMAIL: '1' })).toEqual([expect.stringContaining('OIDC_ISSUER is missing')]);
    });

    test.each([
      'http://id.acme.example',
      'id.acme.example',
      'https://id.acme.example/.well-known/openid-configuration',
      'https://user@id.acme.example',
      'https://id.acme.example/?a=1',
      'https://id.acme.example/#a',
    ])('the issuer %s is refused', (issuer) => {
      expect(problemsOf({ ...oidc, OIDC_ISSUER: issuer })).toEqual([expect.stringContaining('OIDC_ISSUER must be')]);
    });

    test('plain http is only for a provider on this machine', () => {
      expect(problemsOf({ ...oidc, OIDC_ISSUER: 'http://localhost:8080/realm' })).toEqual([]);
    });
  });

  test('an administrator whom SIGN_IN_ALLOW does not let in is a mistake', () => {
    const allow = { SIGN_IN_ALLOW: 'acme.example', ADMIN_EMAILS: 'ana@acme.example,Bob@other.example' };
    expect(problemsOf(allow)).toEqual(['ADMIN_EMAILS: SIGN_IN_ALLOW does not let Bob@other.example in']);
    expect(problemsOf({ ...allow, SIGN_IN_ALLOW: 'acme.example,bob@other.example' })).toEqual([]);
    expect(problemsOf({ SIGN_IN_ALLOW: 'acme.example' })).toEqual([]);
  });

  test('SIGN_IN_ALLOW names who may sign in, everyone without it; an empty list is refused', () => {
    expect(readConfig({ SIGN_IN_ALLOW: 'Acme.example, ana@other.example' }).signInAllow).toEqual({
      domains: new Set(['acme.example']),
      addresses: new Set(['ana@other.example']),
    });
    expect(readConfig({ SIGN_IN_ALLOW: ' ' }).signInAllow).toBeUndefined();
    expect(problemsOf({ SIGN_IN_ALLOW: ',' })).toEqual(['SIGN_IN_ALLOW lists no user']);
    expect(problemsOf({ SIGN_IN_ALLOW: '*.acme.example' })).toEqual([expect.stringContaining('SIGN_IN_ALLOW')]);
  });

  test('[CFG-7] STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET set payments, both or neither', () => {
    const stripe = { STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec' };
    expect(readConfig(stripe).stripe).toEqual({ secretKey: 'sk', webhookSecret: 'whsec' });
    expect(problemsOf({ STRIPE_SECRET_KEY: 'sk' })).toEqual([
      expect.stringContaining('STRIPE_WEBHOOK_SECRET is missing'),
    ]);
  });

  test('STRIPE_TAX and PROMOTION_CODES are switches, off by default', () => {
    expect(readConfig({ STRIPE_TAX: '1' }).checkout).toEqual({ tax: true, codes: false });
    expect(readConfig({ PROMOTION_CODES: '1' }).checkout).toEqual({ tax: false, codes: true });
    expect(problemsOf({ STRIPE_TAX: 'yes', PROMOTION_CODES: '2' })).toEqual([
      expect.stringContaining('STRIPE_TAX'),
      expect.stringContaining('PROMOTION_CODES'),
    ]);
  });

  test('[CFG-8] ADMIN_EMAILS sets the administrators, in lower case; with Google there is none without it', () => {
    expect(readConfig({ ADMIN_EMAILS: 'Ada@Example.com, bob@example.com' }).adminEmails).toEqual([
      'ada@example.com',
      'bob@example.com',
    ]);
    expect(readConfig(google).adminEmails).toEqual([]);
    expect(problemsOf({ ADMIN_EMAILS: 'ada' })).toEqual([expect.stringContaining('ADMIN_EMAILS')]);
  });

  test('[CFG-9] the stand-in for sign-in is refused beyond loopback unless ALLOW_DEV_SIGN_IN=1', () => {
    const beyond = { PUBLIC_URL: 'https://souk.example', PAYMENTS: 'off' };
    expect(problemsOf(beyond)).toEqual([expect.stringContaining('ALLOW_DEV_SIGN_IN=1')]);
    expect(readConfig({ ...beyond, ALLOW_DEV_SIGN_IN: '1' }).allowDevSignIn).toBe(true);
    expect(problemsOf({ ...beyond, ...google })).toEqual([]);
    expect(problemsOf({ PUBLIC_URL: 'http://[::1]:3000' })).toEqual([]);
  });

  test('clients are told about metadata documents beyond loopback, and with CLIENT_DOCUMENTS=on', () => {
    const beyond = { PUBLIC_URL: 'https://souk.example', PAYMENTS: 'off', ...google };
    const at = (environment: NodeJS.ProcessEnv) => readConfig(environment).clientDocuments;
    expect(at(beyond)).toEqual({ advertised: true, served: true });
    expect(at({})).toEqual({ advertised: false, served: true });
    expect(at({ CLIENT_DOCUMENTS: 'on' })).toEqual({ advertised: true, served: true });
    expect(at({ ...beyond, CLIENT_DOCUMENTS: 'off' })).toEqual({ advertised: false, served: false });
  });

  test.each(['https://localhost', 'https://127.0.0.1', 'https://[::1]:8443'])(
    'the stand-in is refused in production at %s like at any other address',
    (address) => {
      const standIn = {
        ...production,
        PUBLIC_URL: address,
        GOOGLE_CLIENT_ID: undefined,
        GOOGLE_CLIENT_SECRET: undefined,
      };
      expect(problemsOf(standIn)).toEqual([expect.stringContaining('refused in production, at a loopback PUBLIC_URL')]);
      expect(problemsOf({ ...standIn, ...google })).toEqual([]);
      expect(problemsOf({ ...standIn, NODE_ENV: undefined })).toEqual([]);
    },
  );

  test('ALLOW_DEV_SIGN_IN is refused in production unless I_KNOW_ANYONE_CAN_SIGN_IN=1', () => {
    const open = {
      ...production,
      GOOGLE_CLIENT_ID: undefined,
      GOOGLE_CLIENT_SECRET: undefined,
      ALLOW_DEV_SIGN_IN: '1',
    };
    const refused = [expect.stringContaining('ALLOW_DEV_SIGN_IN=1 lets anyone sign in as anyone')];
    expect(problemsOf(open)).toEqual(refused);
    // with Google's keys too: on the day they are removed, the flag would open the door
    expect(problemsOf({ ...open, ...google })).toEqual(refused);
    expect(readConfig({ ...open, I_KNOW_ANYONE_CAN_SIGN_IN: '1' }).allowDevSignIn).toBe(true);
    // I_KNOW_ANYONE_CAN_SIGN_IN on its own allows nothing
    expect(problemsOf({ ...open, ALLOW_DEV_SIGN_IN: '0', I_KNOW_ANYONE_CAN_SIGN_IN: '1' })).toEqual([
      expect.stringContaining('PUBLIC_URL is not loopback'),
    ]);
  });

  test('[CFG-12] HOST sets the address to listen on, but with a stand-in it is loopback', () => {
    const real = { ...google, STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec' };
    expect(readConfig({ HOST: '10.0.0.1', ...real }).host).toBe('10.0.0.1');
    expect(readConfig(real).host).toBe('0.0.0.0');
    expect(readConfig({ HOST: '0.0.0.0' }).host).toBe('127.0.0.1');
    const open = { HOST: '0.0.0.0', ALLOW_DEV_SIGN_IN: '1' };
    expect(readConfig({ ...open, PAYMENTS: 'off' }).host).toBe('0.0.0.0');
    expect(readConfig({ ...open, ALLOW_SANDBOX_PAYMENTS: '1' }).host).toBe('0.0.0.0');
    // Google signs users in, and the stand-in takes their payments
    expect(readConfig({ HOST: '0.0.0.0', ...google }).host).toBe('127.0.0.1');
    expect(readConfig({ HOST: '0.0.0.0', ...google, ALLOW_SANDBOX_PAYMENTS: '1' }).host).toBe('0.0.0.0');
    expect(readConfig({ HOST: '0.0.0.0' }).ignoredHost).toBe('0.0.0.0');
    expect(readConfig({ HOST: '127.0.0.1' }).ignoredHost).toBeUndefined();
    expect(readConfig({ ...open, PAYMENTS: 'off' }).ignoredHost).toBeUndefined();
  });

  test('production needs https and a master key, and starts no program of a manifest by default', () => {
    expect(readConfig(production)).toMatchObject({
      production: true,
      stdio: 'off',
      host: '0.0.0.0',
      drainGraceMs: 5000,
    });
    expect(problemsOf({ ...production, PUBLIC_URL: 'http://souk.example' })).toEqual([
      'PUBLIC_URL must be https in production',
    ]);
    expect(problemsOf({ ...production, MASTER_KEY: undefined })).toEqual([expect.stringContaining('MASTER_KEY')]);
    expect(readConfig({ ...production, STDIO: 'allowlist' }).stdio).toBe('allowlist');
  });

  test.each([
    'ftp://souk.example',
    'souk.example',
    'http://localhost/path',
    'http://user@localhost',
    'http://localhost/?a=1',
    'http://localhost/#a',
  ])('PUBLIC_URL %s is refused', (address) => {
    expect(problemsOf({ PUBLIC_URL: address })).toEqual([expect.stringContaining('PUBLIC_URL must be')]);
  });

  describe('payments', () => {
    const stripe = { STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec' };
    const { PAYMENTS: _off, ...selling } = production;

    test('are taken by Stripe with its keys, by the stand-in without them, and not at all with PAYMENTS=off', () => {
      expect(readConfig({})).toMatchObject({ payments: 'sandbox', stripe: undefined });
      expect(readConfig(stripe)).toMatchObject({ payments: 'stripe', stripe: { secretKey: 'sk' } });
      expect(readConfig({ ...stripe, PAYMENTS: 'off' })).toMatchObject({ payments: 'off', stripe: undefined });
      expect(problemsOf({ PAYMENTS: 'maybe' })).toEqual(['PAYMENTS: must be on or off']);
    });

    test('beyond loopback the stand-in is refused unless it is allowed, with Google too', () => {
      const beyond = { PUBLIC_URL: 'https://souk.example', ...google };
      expect(problemsOf(beyond)).toEqual([
        expect.stringContaining('PUBLIC_URL is not loopback, so the stand-in for Stripe is refused'),
      ]);
      expect(problemsOf({ ...beyond, ...stripe })).toEqual([]);
      expect(problemsOf({ ...beyond, PAYMENTS: 'off' })).toEqual([]);
      expect(readConfig({ ...beyond, ALLOW_SANDBOX_PAYMENTS: '1' }).payments).toBe('sandbox');
      expect(problemsOf({ ...google, PUBLIC_URL: 'http://127.0.0.1:3000' })).toEqual([]);
    });

    test('production refuses the stand-in unless it is allowed', () => {
      expect(problemsOf(selling)).toEqual([
        expect.stringContaining('The stand-in for Stripe is refused in production'),
      ]);
      expect(problemsOf({ ...selling, ...stripe })).toEqual([]);
      expect(problemsOf({ ...selling, PAYMENTS: 'off' })).toEqual([]);
      expect(readConfig({ ...selling, ALLOW_SANDBOX_PAYMENTS: '1' }).payments).toBe('sandbox');
    });
  });
});
