import { join, resolve } from 'node:path';
import type { Setting } from '@souk/contract/admin/system.ts';
import type { LegalPage } from '@souk/contract/legal.ts';
import { foldEmail } from '@souk/contract/fold-email.ts';
import { combineVariables } from './config/combine-variables.ts';
import { readEnvironment, variableNames, type Environment } from './config/environment.ts';
import { findMisspelled, sayMisspelled, type Misspelled } from './config/misspelled.ts';
import type { AlertWebhook, MailDelivery } from './config/mail.ts';
import type { OidcConfig } from './config/oidc-config.ts';
import { readOutgoingProxy, type OutgoingProxy } from './config/outgoing-proxy.ts';
import type { Payments } from './config/payments.ts';
import { describeSettings, secretValuesOf, type FilesOfVariables } from './config/settings.ts';
import type { SignInAllow } from './config/sign-in-allow.ts';
import type { TelemetryConfig } from './telemetry/open-telemetry.ts';
import { readUpstreamSecrets, upstreamPrefixes } from './config/upstream-secrets.ts';

const megabyte = 1024 * 1024;

export type Config = {
  production: boolean;
  port: number;
  /** The origin, without a trailing slash. Every absolute address starts with it. */
  publicUrl: string;
  host: string;
  /** HOST, if it is ignored because only this machine may connect. */
  ignoredHost: string | undefined;
  /** Absolute path. */
  dataDir: string;
  databaseUrl: string | undefined;
  /** PostgreSQL's own address, if databaseUrl is the address of a pooler. */
  listenUrl: string | undefined;
  /** Connections to PostgreSQL for statements, a quarter of them for background work. */
  poolSize: number;
  google: { clientId: string; clientSecret: string } | undefined;
  /** A company's own sign-in provider, alongside Google or in its place. */
  oidc: OidcConfig | undefined;
  /** Whether the stand-in serves as the sign-in provider, because none is configured. */
  standIn: boolean;
  /** The users who may sign in; undefined: everyone. */
  signInAllow: SignInAllow | undefined;
  /**
   * Clients that name themselves by a metadata document: whether we advertise that, and whether such clients are served.
   * By default, a broker on loopback does not advertise it, since it may have no internet access: clients register instead.
   */
  clientDocuments: { advertised: boolean; served: boolean };
  /** The proxy for outgoing requests; undefined: they leave directly. */
  outgoingProxy: OutgoingProxy | undefined;
  mail: MailDelivery;
  /** Where alerts are sent; undefined: nowhere. */
  alertWebhook: AlertWebhook | undefined;
  payments: Payments;
  stripe: { secretKey: string; webhookSecret: string } | undefined;
  /** The payment provider's names of the payment methods. */
  paymentMethods: readonly string[];
  /** Whether payment pages add tax, and whether they accept promotion codes. */
  checkout: { tax: boolean; codes: boolean };
  adminEmails: readonly string[];
  allowDevSignIn: boolean;
  brandName: string;
  supportEmail: string;
  businessEmail: string;
  /** Address for questions that are neither support nor business. */
  contactEmail: string;
  /** Addresses and CIDRs whose X-Forwarded-* headers are trusted. */
  trustProxy: readonly string[];
  masterKey: string | undefined;
  /** The key that `souk rotate-key` rotates to, while brokers have both. */
  nextMasterKey: string | undefined;
  /** Automatic backups: their folder, how often they are taken, and how many are kept. */
  backup: { dir: string; everySeconds: number; keep: number } | undefined;
  /** Retention periods (docs/retention.md). */
  retention: { callsMonths: number; usageMonths: number; auditYears: number; versionsKept: number; booksYears: number };
  /** The operator's settings and secrets for servers, by variable: UPSTREAM_HEADER_…, UPSTREAM_CLIENT_SECRET_…. */
  upstreamSecrets: ReadonlyMap<string, string>;
  /** Kinds of entries that administrators may add to the operator's allow-lists. */
  adminMayAllow: { addresses: boolean; packages: boolean };
  /** Absolute path of the plans and packages on sale, in place of the bundled ones. */
  offersFile: string | undefined;
  /** Absolute paths of the operator's own texts, in Markdown. */
  legalFiles: Readonly<Record<LegalPage, string | undefined>>;
  /** Absolute path of the operator's own manifests. */
  catalogueDir: string | undefined;
  /** Whether the bundled catalogue is loaded too. */
  bundledCatalogue: boolean;
  /** Host:port and CIDR of upstreams that may be private, and reached without TLS. */
  upstreamAllowAddresses: readonly string[];
  stdio: 'off' | 'allowlist';
  stdioAllowlist: string | undefined;
  /** Resources that programs (stdio servers) may use. */
  programLimits: {
    /** Disk space for all files of one user at all servers; a program that users share has its own. */
    folderBytes: number;
    /** Memory of one program and all that it starts. */
    memoryBytes: number;
    personMemoryBytes: number;
    /** Free space on the disk of the data folder below which no program runs: the embedded database needs it. */
    freeDiskBytes: number;
  };
  /** A control group of the kernel in which the broker may create others, to limit the memory of programs. */
  programsCgroup: string | undefined;
  /** info in production; elsewhere the terminal stays quiet. */
  logLevel: string;
  /** Where traces and figures are sent; undefined: nowhere. */
  telemetry: TelemetryConfig | undefined;
  /** Where /metrics is served; undefined: nowhere. */
  metrics: { port: number; host: string } | undefined;
  serviceRestartDelayMs: number;
  healthIntervalMs: number;
  /** Time for which a stopping broker still serves new requests after /readyz answers 503, so that load balancers notice. */
  drainGraceMs: number;
  /** Time for which the proxy keeps idle connections to us, and may therefore still send a request on one. */
  proxyKeepAliveMs: number;
  limits: {
    callsPerMinuteToken: number;
    callsPerMinuteUser: number;
    /** MCP requests other than tool calls. */
    requestsPerMinuteToken: number;
    signInPerMinute: number;
    /** Requests to the API, by the weights of the contract. */
    api: { perMinuteUser: number; perMinuteAddress: number };
    callsInFlightPerServer: number | undefined;
    callsInFlightPerUser: number;
    /** Open connections to all servers. */
    upstreamConnections: number;
  };
  misspelled: readonly Misspelled[];
  /** The settings in force and where they come from, for administrators. Contains no secret. */
  settings: readonly Setting[];
  /** All secret values, which error messages from outside may quote. */
  secretValues: readonly string[];
};

/** @param period such as 24h or 7d */
const secondsOf = (period: string) => Number(period.slice(0, -1)) * (period.endsWith('d') ? 86_400 : 3_600);
const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(path));

/** Carries all problems of the configuration at once. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super(`The configuration has ${count}:\n${problems.map((p) => `  - ${p}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Reads the proxy's variables alone, for commands that need no configuration. @throws ConfigError */
export function readProxyConfig(environment: NodeJS.ProcessEnv): OutgoingProxy | undefined {
  const problems: string[] = [];
  const proxy = readOutgoingProxy(readEnvironment(environment, []), problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return proxy;
}

/** Reads the limits of programs even if other variables have problems. An invalid limit counts as not set. */
export function readProgramConfig(
  environment: NodeJS.ProcessEnv,
): Pick<Config, 'programLimits' | 'programsCgroup' | 'stdio'> {
  const env = readEnvironment(environment, []);
  return programConfigOf(env, env.NODE_ENV === 'production');
}

function programConfigOf(env: Environment, production: boolean) {
  return {
    stdio: env.STDIO ?? (production ? ('off' as const) : ('allowlist' as const)),
    programLimits: {
      folderBytes: env.PERSONAL_FOLDER_MB * megabyte,
      memoryBytes: env.PROGRAM_MEMORY_MB * megabyte,
      personMemoryBytes: env.PERSONAL_MEMORY_MB * megabyte,
      freeDiskBytes: env.FREE_DISK_MB * megabyte,
    },
    programsCgroup: env.PROGRAMS_CGROUP,
  };
}

/**
 * Reads the configuration from environment variables (clarifications, "Commands and configuration").
 * @param files the paths of --env-file, by the variables that come from them
 * @throws ConfigError with all problems at once; the start exits with 78 (EX_CONFIG).
 */
export function readConfig(environment: NodeJS.ProcessEnv, files: FilesOfVariables = new Map()): Config {
  const problems: string[] = [];
  const env = readEnvironment(environment, problems);
  const combined = combineVariables(env, environment, problems);
  const upstreamSecrets = readUpstreamSecrets(environment, problems);
  const misspelled = findMisspelled(environment, variableNames, upstreamPrefixes);
  // a missing variable may be set under a misspelled name
  if (problems.length > 0) throw new ConfigError([...problems, ...misspelled.map(sayMisspelled)]);

  const { production, standIn } = combined;
  const config: Omit<Config, 'settings' | 'secretValues'> = {
    ...combined,
    ...hostOf(env, combined),
    port: env.PORT,
    publicUrl: combined.publicUrl.origin,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    listenUrl: env.DATABASE_LISTEN_URL,
    poolSize: env.DATABASE_POOL_SIZE,
    adminEmails: env.ADMIN_EMAILS.length > 0 || !standIn ? env.ADMIN_EMAILS.map(foldEmail) : ['admin@souk.test'],
    paymentMethods: env.PAYMENT_METHODS.length > 0 ? env.PAYMENT_METHODS : ['card'],
    checkout: { tax: env.STRIPE_TAX, codes: env.PROMOTION_CODES },
    allowDevSignIn: env.ALLOW_DEV_SIGN_IN,
    brandName: env.BRAND_NAME,
    supportEmail: env.SUPPORT_EMAIL,
    businessEmail: env.BUSINESS_EMAIL,
    contactEmail: env.CONTACT_EMAIL,
    trustProxy: env.TRUST_PROXY,
    masterKey: env.MASTER_KEY,
    nextMasterKey: env.MASTER_KEY_NEXT,
    backup:
      env.BACKUP_DIR === undefined
        ? undefined
        : { dir: resolve(env.BACKUP_DIR), everySeconds: secondsOf(env.BACKUP_EVERY), keep: env.BACKUP_KEEP },
    retention: retentionOf(env),
    adminMayAllow: {
      addresses: env.ADMIN_MAY_ALLOW.includes('addresses'),
      packages: env.ADMIN_MAY_ALLOW.includes('packages'),
    },
    upstreamSecrets,
    offersFile: absolute(env.OFFERS_FILE),
    legalFiles: {
      terms: absolute(env.TERMS_FILE),
      privacy: absolute(env.PRIVACY_FILE),
      refunds: absolute(env.REFUNDS_FILE),
    },
    catalogueDir: absolute(env.CATALOGUE_DIR),
    bundledCatalogue: env.BUNDLED_CATALOGUE === 'on',
    upstreamAllowAddresses: env.UPSTREAM_ALLOW_ADDRESSES,
    ...programConfigOf(env, production),
    stdioAllowlist: env.STDIO_ALLOWLIST,
    logLevel: env.LOG_LEVEL ?? (production ? 'info' : 'warn'),
    telemetry: telemetryOf(env),
    metrics: env.METRICS_PORT === undefined ? undefined : { port: env.METRICS_PORT, host: env.METRICS_HOST },
    serviceRestartDelayMs: env.SERVICE_RESTART_DELAY_MS,
    healthIntervalMs: env.HEALTH_INTERVAL_MS,
    drainGraceMs: env.DRAIN_GRACE_MS ?? (production ? 5000 : 0),
    proxyKeepAliveMs: env.PROXY_KEEP_ALIVE_MS ?? (production ? 5000 : 0),
    limits: limitsOf(env),
    misspelled,
  };
  const masterKeyFile = join(config.dataDir, 'master.key');
  return {
    ...config,
    secretValues: [...secretValuesOf(env, upstreamSecrets), ...Object.values(telemetryHeadersOf(env))],
    settings: describeSettings(env, environment, { files, inForce: inForceOf(config), masterKeyFile }),
  };
}

/** Limits stand-ins to this machine unless the operator allows more, since they let anyone sign in as anyone or buy for free. */
function hostOf(
  env: Environment,
  { standIn, payments }: Pick<Config, 'standIn' | 'payments'>,
): Pick<Config, 'host' | 'ignoredHost'> {
  const isForThisMachine =
    (standIn && !env.ALLOW_DEV_SIGN_IN) || (payments === 'sandbox' && !env.ALLOW_SANDBOX_PAYMENTS);
  if (!isForThisMachine) return { host: env.HOST ?? (standIn ? '127.0.0.1' : '0.0.0.0'), ignoredHost: undefined };
  return {
    host: '127.0.0.1',
    ignoredHost: ['127.0.0.1', 'localhost'].includes(env.HOST ?? '') ? undefined : env.HOST,
  };
}

const retentionOf = (env: Environment): Config['retention'] => ({
  callsMonths: env.CALLS_MONTHS,
  usageMonths: env.USAGE_MONTHS,
  auditYears: env.AUDIT_YEARS,
  versionsKept: env.VERSIONS_KEPT,
  booksYears: env.BOOKS_YEARS,
});

const telemetryHeadersOf = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    env.OTEL_EXPORTER_OTLP_HEADERS.map((header) => {
      const [name = '', ...value] = header.split('=');
      return [name, decodeURIComponent(value.join('='))];
    }),
  );

const telemetryOf = (env: Environment): Config['telemetry'] =>
  env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : {
        endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: telemetryHeadersOf(env),
        serviceName: env.OTEL_SERVICE_NAME,
        tracedShare: env.OTEL_TRACES_SAMPLER_ARG,
      };

const limitsOf = (env: Environment): Config['limits'] => ({
  callsPerMinuteToken: env.MCP_CALLS_PER_MINUTE_TOKEN,
  callsPerMinuteUser: env.MCP_CALLS_PER_MINUTE_USER,
  requestsPerMinuteToken: env.MCP_REQUESTS_PER_MINUTE_TOKEN,
  signInPerMinute: env.SIGN_IN_PER_MINUTE,
  api: { perMinuteUser: env.API_REQUESTS_PER_MINUTE_USER, perMinuteAddress: env.API_REQUESTS_PER_MINUTE_ADDRESS },
  callsInFlightPerServer: env.MCP_IN_FLIGHT_SERVER === undefined ? undefined : Number(env.MCP_IN_FLIGHT_SERVER),
  callsInFlightPerUser: env.MCP_IN_FLIGHT_USER,
  upstreamConnections: env.UPSTREAM_CONNECTIONS,
});

/** The values of variables that may differ from what is set. */
const inForceOf = (config: Omit<Config, 'settings' | 'secretValues'>) => ({
  PUBLIC_URL: config.publicUrl,
  HOST: config.host,
  ADMIN_EMAILS: [...config.adminEmails],
  PAYMENT_METHODS: [...config.paymentMethods],
  STDIO: config.stdio,
  LOG_LEVEL: config.logLevel,
  DRAIN_GRACE_MS: config.drainGraceMs,
  PROXY_KEEP_ALIVE_MS: config.proxyKeepAliveMs,
});
