import { readFileSync } from 'node:fs';
import { issueText } from '@souk/contract/manifest/issue-text.ts';
import { z } from 'zod';
import { addressEntryProblem } from '../http/outgoing/allowed-addresses.ts';

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
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** An address or a name. The start finds out whether this machine has it. */
const listenAddress = z.string().regex(/^[\w.:%-]{1,253}$/, 'must be an address or a name of this machine');
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

/** A header in the form of OpenTelemetry's variables, with a percent-encoded value. */
const headerEntry = z
  .string()
  .regex(/^[\w-]{1,100}=(?:[^%]|%[0-9a-fA-F]{2})+$/, 'must be headers as name=value, separated by commas');

const environmentSchema = z.object({
  // a misspelled "production" must not enable the stand-ins
  NODE_ENV: z.enum(['production', 'development', 'test'], 'must be production, development or test').optional(),
  PORT: whole(3000, 1, 65535),
  PUBLIC_URL: optionalText,
  HOST: listenAddress.optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: optionalText,
  DATABASE_LISTEN_URL: optionalText,
  /** One broker's connections for statements. It has two more for maintenance and one for notices. */
  DATABASE_POOL_SIZE: whole(10, 4, 1000),
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
  PAYMENTS: z.enum(['on', 'off'], 'must be on or off').default('on'),
  ALLOW_SANDBOX_PAYMENTS: flag,
  PAYMENT_METHODS: list.pipe(
    z
      .array(z.string().regex(/^[a-z0-9_]{1,40}$/, "must be Stripe's names of payment methods, separated by commas"))
      .max(20),
  ),
  STRIPE_TAX: flag,
  PROMOTION_CODES: flag,
  ADMIN_EMAILS: list.pipe(z.array(z.email('must be e-mail addresses, separated by commas'))),
  ALLOW_DEV_SIGN_IN: flag,
  I_KNOW_ANYONE_CAN_SIGN_IN: flag,
  BRAND_NAME: z.string().max(60, 'must have at most 60 characters').default('Souk'),
  SUPPORT_EMAIL: z.email('must be an e-mail address').default('support@souk.test'),
  BUSINESS_EMAIL: z.email('must be an e-mail address').default('business@souk.test'),
  CONTACT_EMAIL: z.email('must be an e-mail address').default('hello@souk.test'),
  SMTP_URL: optionalText,
  ALERT_WEBHOOK_URL: optionalText,
  ALERT_WEBHOOK_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  TRUST_PROXY: list.pipe(z.array(z.string().regex(cidr, 'must be addresses or CIDRs, separated by commas'))),
  MASTER_KEY: optionalText,
  MASTER_KEY_NEXT: optionalText,
  BACKUP_DIR: optionalText,
  BACKUP_EVERY: z
    .string()
    .regex(/^([1-9]\d{0,2}h|([1-9]|[12]\d|3[01])d)$/, 'must be 1h to 999h, or 1d to 31d')
    .default('24h'),
  BACKUP_KEEP: whole(14, 1, 10_000),
  CALLS_MONTHS: whole(13, 2, 1200),
  USAGE_MONTHS: whole(37, 14, 1200),
  AUDIT_YEARS: whole(10, 1, 100),
  VERSIONS_KEPT: whole(100, 1, 1_000_000),
  BOOKS_YEARS: whole(10, 1, 100),
  ADMIN_MAY_ALLOW: list.pipe(
    z.array(z.enum(['addresses', 'packages'], 'must be addresses, packages, or both, separated by a comma')),
  ),
  STDIO: z.enum(['off', 'allowlist'], 'must be off or allowlist').optional(),
  STDIO_ALLOWLIST: optionalText,
  PERSONAL_FOLDER_MB: whole(256, 1, 1_000_000),
  PROGRAM_MEMORY_MB: whole(512, 64, 1_000_000),
  PERSONAL_MEMORY_MB: whole(1024, 64, 1_000_000),
  FREE_DISK_MB: whole(512, 0, 1_000_000),
  PROGRAMS_CGROUP: z.string().regex(/^\//, 'must be the whole path of a control group').optional(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).optional(),
  METRICS_PORT: wholeOf(1, 65535).optional(),
  METRICS_HOST: listenAddress.default('127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: list.pipe(z.array(headerEntry).max(20)),
  OTEL_SERVICE_NAME: z.string().min(1).max(100, 'must have at most 100 characters').default('souk'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/, 'must be a share from 0 to 1')
    .default('1')
    .transform(Number),
  SERVICE_RESTART_DELAY_MS: whole(1000, 0, 600_000),
  HEALTH_INTERVAL_MS: whole(5000, 100, 600_000),
  DRAIN_GRACE_MS: wholeOf(0, 60_000).optional(),
  PROXY_KEEP_ALIVE_MS: wholeOf(0, 600_000).optional(),
  MCP_CALLS_PER_MINUTE_TOKEN: whole(120, 1, 100_000_000),
  MCP_CALLS_PER_MINUTE_USER: whole(300, 1, 100_000_000),
  MCP_REQUESTS_PER_MINUTE_TOKEN: whole(600, 1, 100_000_000),
  /** Overrides every manifest's maxInFlight, for benchmarks and proofs. */
  MCP_IN_FLIGHT_SERVER: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1 to 999999')
    .optional(),
  MCP_IN_FLIGHT_USER: whole(16, 1, 1_000_000),
  /** Each connection has a session at its server, and a socket while it is used. */
  UPSTREAM_CONNECTIONS: whole(8192, 1, 1_000_000),
  SIGN_IN_PER_MINUTE: whole(20, 1, 1_000_000),
  // five open tabs send at most about 300 requests a minute; an office of 500 people in the shop about 4,000
  API_REQUESTS_PER_MINUTE_USER: whole(1200, 60, 100_000_000),
  API_REQUESTS_PER_MINUTE_ADDRESS: whole(6000, 60, 100_000_000),
  HTTPS_PROXY: optionalText,
  HTTP_PROXY: optionalText,
  NO_PROXY: z
    .string()
    .default('')
    .transform((value) => value.split(/[,\s]/).filter((part) => part !== '')),
  CLIENT_DOCUMENTS: z.enum(['auto', 'on', 'off'], 'must be auto, on or off').default('auto'),
  OFFERS_FILE: optionalText,
  TERMS_FILE: optionalText,
  PRIVACY_FILE: optionalText,
  REFUNDS_FILE: optionalText,
  CATALOGUE_DIR: optionalText,
  BUNDLED_CATALOGUE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  UPSTREAM_ALLOW_ADDRESSES: list.superRefine((entries, context) => {
    const problems = entries.flatMap((entry) => addressEntryProblem(entry) ?? []);
    if (problems.length > 0) context.addIssue({ code: 'custom', message: problems.join('; ') });
  }),
});

/** Secrets that may come from the file at NAME_FILE. */
const fromFile = [
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
  'GOOGLE_CLIENT_SECRET',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'MASTER_KEY',
  'MASTER_KEY_NEXT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'SMTP_URL',
  'ALERT_WEBHOOK_URL',
  'ALERT_WEBHOOK_SECRET',
  // their addresses may have a password
  'HTTPS_PROXY',
  'HTTP_PROXY',
] as const;

export type SecretFileName = (typeof fromFile)[number];

/** Variables that programs read in lower case first. */
export const lowerCaseToo = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const;

/** Every variable with a fixed name. Names of secrets for servers and programs are in upstream-secrets.ts. */
export const variableNames: ReadonlySet<string> = new Set([
  ...Object.keys(environmentSchema.shape),
  ...fromFile.map((name) => `${name}_FILE`),
]);

export type Environment = z.infer<typeof environmentSchema>;

/** Reads each variable by itself, or the contents of its NAME_FILE. @param problems gets one for each invalid variable */
export function readEnvironment(variables: NodeJS.ProcessEnv, problems: string[]): Environment {
  const env = parseEnvironment(readFiles(variables, problems), problems);
  for (const name of ['MASTER_KEY', 'MASTER_KEY_NEXT'] as const) {
    const key = env[name];
    if (key && !/^[A-Za-z0-9_-]{43}=?$/.test(key)) {
      problems.push(`${name} must be 32 bytes in base64url (43 characters)`);
    }
  }
  for (const name of ['DATABASE_URL', 'DATABASE_LISTEN_URL'] as const) {
    const address = env[name];
    if (address && !/^postgres(ql)?:\/\//.test(address)) {
      problems.push(`${name} must begin with postgres:// or postgresql://`);
    } else if (address && !URL.canParse(address)) {
      problems.push(`${name} is not an address: it must look like postgres://user:password@host:5432/database`);
    }
  }
  if (env.DATABASE_LISTEN_URL && !env.DATABASE_URL) problems.push('DATABASE_LISTEN_URL is set without DATABASE_URL');
  return env;
}

/** Returns the variables that are not empty, with the contents of their NAME_FILE. */
function readFiles(environment: NodeJS.ProcessEnv, problems: string[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && value.trim() !== '') merged[name] = value.trim();
  }
  for (const name of lowerCaseToo) {
    const lower = merged[name.toLowerCase()];
    if (lower !== undefined) merged[name] = lower;
  }
  for (const name of fromFile) {
    const path = merged[`${name}_FILE`];
    if (path === undefined) continue;
    if (merged[name] !== undefined) problems.push(`${name} and ${name}_FILE are both set: set one`);
    try {
      const content = readFileSync(path, 'utf8').trim();
      if (content === '') problems.push(`${name}_FILE: ${path} is empty${remedyOf(name)}`);
      else merged[name] = content;
    } catch {
      problems.push(`${name}_FILE: cannot read ${path}${remedyOf(name)}`);
    }
  }
  return merged;
}

/** Only the master key cannot be replaced. */
function remedyOf(name: SecretFileName): string {
  return name === 'MASTER_KEY'
    ? ': restore the key of this installation there, since no other key opens its secrets'
    : '';
}

/** Reports invalid variables and then treats them as unset, so that problems of the others are reported too. */
function parseEnvironment(variables: Record<string, string>, problems: string[]): Environment {
  const parsed = environmentSchema.safeParse(variables);
  if (parsed.success) return parsed.data;
  const wrong = new Map(parsed.error.issues.map((issue) => [String(issue.path[0]), issueText(issue)]));
  problems.push(...[...wrong].map(([name, message]) => `${name}: ${message}`));
  return environmentSchema.parse(Object.fromEntries(Object.entries(variables).filter(([name]) => !wrong.has(name))));
}
