import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { readOidc, type OidcConfig } from './oidc-config.ts';
import { maySignIn, readSignInAllow, type SignInAllow } from './sign-in-allow.ts';
import { standInProblems } from './stand-in-problems.ts';
import { addressEntryProblem } from './http/allowed-addresses.ts';
import { readUpstreamSecrets } from './upstream-secrets.ts';

const flag = z
  .enum(['0', '1'], 'must be 0 or 1')
  .default('0')
  .transform((value) => value === '1');
const optionalText = z.string().optional();
const wholeOf = (min: number, max: number) => {
  const range = `must be a whole number from ${min} to ${max}`;
  const digits = z.string().regex(/^\d+$/, range);
  return digits.transform(Number).pipe(z.number().min(min, range).max(max, range));
};
const whole = (fallback: number, min: number, max: number) => wholeOf(min, max).prefault(String(fallback));
const cidr = /^([0-9a-fA-F.:]+)(\/\d{1,3})?$/;
const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

const environmentSchema = z.object({
  NODE_ENV: optionalText,
  PORT: whole(3000, 1, 65535),
  PUBLIC_URL: optionalText,
  HOST: optionalText,
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: optionalText,
  GOOGLE_CLIENT_ID: optionalText,
  GOOGLE_CLIENT_SECRET: optionalText,
  OIDC_ISSUER: optionalText,
  OIDC_CLIENT_ID: optionalText,
  OIDC_CLIENT_SECRET: optionalText,
  OIDC_NAME: z.string().max(60, 'must have at most 60 characters').optional(),
  OIDC_TRUST_EMAIL: flag,
  SIGN_IN_ALLOW: list,
  STRIPE_SECRET_KEY: optionalText,
  STRIPE_WEBHOOK_SECRET: optionalText,
  ADMIN_EMAILS: list.pipe(z.array(z.email('must be e-mail addresses, separated by commas'))),
  ALLOW_DEV_SIGN_IN: flag,
  I_KNOW_ANYONE_CAN_SIGN_IN: flag,
  BRAND_NAME: z.string().max(60, 'must have at most 60 characters').default('Souk'),
  SUPPORT_EMAIL: z.email('must be an e-mail address').default('support@souk.test'),
  BUSINESS_EMAIL: z.email('must be an e-mail address').default('business@souk.test'),
  TRUST_PROXY: list.pipe(z.array(z.string().regex(cidr, 'must be addresses or CIDRs, separated by commas'))),
  MASTER_KEY: optionalText,
  STDIO: z.enum(['off', 'allowlist']).optional(),
  STDIO_ALLOWLIST: optionalText,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
  METRICS_PORT: wholeOf(1, 65535).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  SERVICE_RESTART_DELAY_MS: whole(1000, 0, 600_000),
  HEALTH_INTERVAL_MS: whole(5000, 100, 600_000),
  DRAIN_GRACE_MS: wholeOf(0, 60_000).optional(),
  MCP_CALLS_PER_MINUTE_TOKEN: whole(120, 1, 100_000_000),
  MCP_CALLS_PER_MINUTE_USER: whole(300, 1, 100_000_000),
  MCP_REQUESTS_PER_MINUTE_TOKEN: whole(600, 1, 100_000_000),
  /** Instead of every manifest's maxInFlight: for benchmarks and proofs. */
  MCP_IN_FLIGHT_SERVER: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1 to 999999')
    .optional(),
  MCP_IN_FLIGHT_USER: whole(16, 1, 1_000_000),
  SIGN_IN_PER_MINUTE: whole(20, 1, 1_000_000),
  CATALOGUE_DIR: optionalText,
  BUNDLED_CATALOGUE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  UPSTREAM_ALLOW_ADDRESSES: list.superRefine((entries, context) => {
    const problems = entries.flatMap((entry) => addressEntryProblem(entry) ?? []);
    if (problems.length > 0) context.addIssue({ code: 'custom', message: problems.join('; ') });
  }),
});

/** Secrets that may come from a file: NAME_FILE is its path. */
const fromFile = [
  'DATABASE_URL',
  'GOOGLE_CLIENT_SECRET',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'MASTER_KEY',
] as const;

export type Config = {
  production: boolean;
  port: number;
  /** Origin without a trailing slash. Every absolute address is made from it. */
  publicUrl: string;
  host: string;
  /** Absolute path. */
  dataDir: string;
  databaseUrl: string | undefined;
  google: { clientId: string; clientSecret: string } | undefined;
  /** A company's own sign-in provider, beside Google or in its place. */
  oidc: OidcConfig | undefined;
  /** Whether the stand-in takes the place of a sign-in provider, since none is configured. */
  standIn: boolean;
  /** Who may sign in; everyone where undefined. */
  signInAllow: SignInAllow | undefined;
  stripe: { secretKey: string; webhookSecret: string } | undefined;
  adminEmails: readonly string[];
  allowDevSignIn: boolean;
  brandName: string;
  supportEmail: string;
  businessEmail: string;
  /** Addresses and CIDRs whose X-Forwarded-* headers are trusted. */
  trustProxy: readonly string[];
  masterKey: string | undefined;
  /** What the operator supplies for servers, by variable: UPSTREAM_HEADER_…, UPSTREAM_CLIENT_SECRET_…. */
  upstreamSecrets: ReadonlyMap<string, string>;
  /** Absolute path of the operator's own manifests. */
  catalogueDir: string | undefined;
  /** Whether the bundled catalogue is loaded too. */
  bundledCatalogue: boolean;
  /** Host:port and CIDR of upstreams that may be private, and reached without TLS. */
  upstreamAllowAddresses: readonly string[];
  stdio: 'off' | 'allowlist';
  stdioAllowlist: string | undefined;
  /** info in production; on a desk the terminal stays quiet. */
  logLevel: string;
  /** Where /metrics is served; nowhere where undefined. */
  metrics: { port: number; host: string } | undefined;
  serviceRestartDelayMs: number;
  healthIntervalMs: number;
  /** How long a stop still serves new requests after /readyz says 503, so that load balancers take note. */
  drainGraceMs: number;
  limits: {
    callsPerMinuteToken: number;
    callsPerMinuteUser: number;
    /** Of MCP requests that are no tool calls. */
    requestsPerMinuteToken: number;
    signInPerMinute: number;
    callsInFlightPerServer: number | undefined;
    callsInFlightPerUser: number;
  };
};

/** Every problem of the configuration at once. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * Reads the configuration from environment variables (clarifications, "Commands and configuration").
 * @throws ConfigError with all problems at once; the start exits with 78 (EX_CONFIG).
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const env = parseEnvironment(readFiles(environment, problems), problems);
  const production = env.NODE_ENV === 'production';
  const publicUrl = readPublicUrl(env.PUBLIC_URL ?? `http://localhost:${env.PORT}`, problems);
  const google = pair(
    'GOOGLE_CLIENT_ID',
    env.GOOGLE_CLIENT_ID,
    'GOOGLE_CLIENT_SECRET',
    env.GOOGLE_CLIENT_SECRET,
    problems,
  );
  const oidc = readOidc(env, problems);
  const stripe = pair(
    'STRIPE_SECRET_KEY',
    env.STRIPE_SECRET_KEY,
    'STRIPE_WEBHOOK_SECRET',
    env.STRIPE_WEBHOOK_SECRET,
    problems,
  );
  problems.push(
    ...standInProblems({
      production,
      publicUrl,
      hasProvider: google !== undefined || oidc !== undefined,
      allowDevSignIn: env.ALLOW_DEV_SIGN_IN,
      knowsAnyoneCanSignIn: env.I_KNOW_ANYONE_CAN_SIGN_IN,
    }),
  );
  if (production && publicUrl.protocol !== 'https:') problems.push('PUBLIC_URL must be https in production');
  if (production && !env.MASTER_KEY) problems.push('MASTER_KEY (or MASTER_KEY_FILE) must be set in production');
  if (env.MASTER_KEY && !/^[A-Za-z0-9_-]{43}=?$/.test(env.MASTER_KEY)) {
    problems.push('MASTER_KEY must be 32 bytes in base64url (43 characters)');
  }
  if (env.DATABASE_URL && !/^postgres(ql)?:\/\//.test(env.DATABASE_URL)) {
    problems.push('DATABASE_URL must begin with postgres:// or postgresql://');
  }
  if (env.METRICS_PORT === env.PORT) problems.push('METRICS_PORT must be another port than PORT');
  const upstreamSecrets = readUpstreamSecrets(environment, problems);
  const signInAllow = readAllow(env.SIGN_IN_ALLOW, environment, problems);
  for (const admin of env.ADMIN_EMAILS) {
    if (!maySignIn(signInAllow, admin)) problems.push(`ADMIN_EMAILS: SIGN_IN_ALLOW does not let ${admin} in`);
  }
  if (problems.length > 0) throw new ConfigError(problems);

  const standIn = google === undefined && oidc === undefined;
  return {
    production,
    port: env.PORT,
    publicUrl: publicUrl.origin,
    // With the stand-in anyone can sign in as anyone: only this machine can reach it unless the operator says otherwise.
    host: standIn && !env.ALLOW_DEV_SIGN_IN ? '127.0.0.1' : (env.HOST ?? (standIn ? '127.0.0.1' : '0.0.0.0')),
    dataDir: isAbsolute(env.DATA_DIR) ? env.DATA_DIR : resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    google: google && { clientId: google[0], clientSecret: google[1] },
    oidc,
    standIn,
    signInAllow,
    stripe: stripe && { secretKey: stripe[0], webhookSecret: stripe[1] },
    adminEmails:
      env.ADMIN_EMAILS.length > 0 || !standIn ? env.ADMIN_EMAILS.map((e) => e.toLowerCase()) : ['admin@souk.test'],
    allowDevSignIn: env.ALLOW_DEV_SIGN_IN,
    brandName: env.BRAND_NAME,
    supportEmail: env.SUPPORT_EMAIL,
    businessEmail: env.BUSINESS_EMAIL,
    trustProxy: env.TRUST_PROXY,
    masterKey: env.MASTER_KEY,
    upstreamSecrets,
    catalogueDir: env.CATALOGUE_DIR === undefined ? undefined : resolve(env.CATALOGUE_DIR),
    bundledCatalogue: env.BUNDLED_CATALOGUE === 'on',
    upstreamAllowAddresses: env.UPSTREAM_ALLOW_ADDRESSES,
    stdio: env.STDIO ?? (production ? 'off' : 'allowlist'),
    stdioAllowlist: env.STDIO_ALLOWLIST,
    logLevel: env.LOG_LEVEL ?? (production ? 'info' : 'warn'),
    metrics: env.METRICS_PORT === undefined ? undefined : { port: env.METRICS_PORT, host: env.METRICS_HOST },
    serviceRestartDelayMs: env.SERVICE_RESTART_DELAY_MS,
    healthIntervalMs: env.HEALTH_INTERVAL_MS,
    drainGraceMs: env.DRAIN_GRACE_MS ?? (production ? 5000 : 0),
    limits: {
      callsPerMinuteToken: env.MCP_CALLS_PER_MINUTE_TOKEN,
      callsPerMinuteUser: env.MCP_CALLS_PER_MINUTE_USER,
      requestsPerMinuteToken: env.MCP_REQUESTS_PER_MINUTE_TOKEN,
      signInPerMinute: env.SIGN_IN_PER_MINUTE,
      callsInFlightPerServer: env.MCP_IN_FLIGHT_SERVER === undefined ? undefined : Number(env.MCP_IN_FLIGHT_SERVER),
      callsInFlightPerUser: env.MCP_IN_FLIGHT_USER,
    },
  };
}

/** A list that is there and names nobody is a mistake: it must not open the door to everyone. */
function readAllow(
  entries: readonly string[],
  environment: NodeJS.ProcessEnv,
  problems: string[],
): SignInAllow | undefined {
  if (entries.length > 0) return readSignInAllow(entries, problems);
  if ((environment['SIGN_IN_ALLOW'] ?? '').trim() !== '') problems.push('SIGN_IN_ALLOW names nobody');
  return undefined;
}

/** The variables that are not empty, with the contents of their NAME_FILE. */
function readFiles(environment: NodeJS.ProcessEnv, problems: string[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && value.trim() !== '') merged[name] = value.trim();
  }
  for (const name of fromFile) {
    const path = merged[`${name}_FILE`];
    if (path === undefined) continue;
    if (merged[name] !== undefined) problems.push(`${name} and ${name}_FILE are both set: set one`);
    try {
      const content = readFileSync(path, 'utf8').trim();
      if (content === '') problems.push(`${name}_FILE: ${path} is empty`);
      else merged[name] = content;
    } catch {
      problems.push(`${name}_FILE: cannot read ${path}`);
    }
  }
  return merged;
}

/** Invalid variables are reported and then count as unset, so that problems of the others are reported too. */
function parseEnvironment(variables: Record<string, string>, problems: string[]): z.infer<typeof environmentSchema> {
  const parsed = environmentSchema.safeParse(variables);
  if (parsed.success) return parsed.data;
  const wrong = new Map(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]));
  problems.push(...[...wrong].map(([name, message]) => `${name}: ${message}`));
  return environmentSchema.parse(Object.fromEntries(Object.entries(variables).filter(([name]) => !wrong.has(name))));
}

function readPublicUrl(text: string, problems: string[]): URL {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    problems.push('PUBLIC_URL must be an http or https address');
    return new URL('http://localhost');
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
    problems.push('PUBLIC_URL must be an origin: scheme, host and port, without a path');
  }
  return url;
}

function pair(
  nameA: string,
  a: string | undefined,
  nameB: string,
  b: string | undefined,
  problems: string[],
): [string, string] | undefined {
  if (a && b) return [a, b];
  if (a || b) problems.push(`${a ? nameB : nameA} is missing: ${nameA} and ${nameB} go together`);
  return undefined;
}
