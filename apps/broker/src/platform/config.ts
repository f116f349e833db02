import { isAbsolute, join, resolve } from 'node:path';
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
  /** Origin without a trailing slash. Every absolute address is made from it. */
  publicUrl: string;
  host: string;
  /** HOST, where it does not count since only this machine may connect. */
  ignoredHost: string | undefined;
  /** Absolute path. */
  dataDir: string;
  databaseUrl: string | undefined;
  /** PostgreSQL's own address, where the other one is a pooler's. */
  listenUrl: string | undefined;
  /** Connections to PostgreSQL for statements; a quarter of them for work in the background. */
  poolSize: number;
  google: { clientId: string; clientSecret: string } | undefined;
  /** A company's own sign-in provider, beside Google or in its place. */
  oidc: OidcConfig | undefined;
  /** Whether the stand-in takes the place of a sign-in provider, since none is configured. */
  standIn: boolean;
  /** Who may sign in; everyone where undefined. */
  signInAllow: SignInAllow | undefined;
  /**
   * Clients that name themselves by a metadata document: whether we say that they may, and whether one that does is served.
   * A broker on loopback says nothing, since it may have no way out: clients register there.
   */
  clientDocuments: { advertised: boolean; served: boolean };
  /** How requests leave this machine; directly where undefined. */
  outgoingProxy: OutgoingProxy | undefined;
  /** How people are written to. */
  mail: MailDelivery;
  /** Where the operator is told what is wrong; nowhere where undefined. */
  alertWebhook: AlertWebhook | undefined;
  /** Whether money is taken by Stripe, by the stand-in for it, or not at all. */
  payments: Payments;
  stripe: { secretKey: string; webhookSecret: string } | undefined;
  /** The payment provider's names of what people pay with. */
  paymentMethods: readonly string[];
  /** What payment pages do beside taking a price: the provider adds tax to it, and takes promotion codes. */
  checkout: { tax: boolean; codes: boolean };
  adminEmails: readonly string[];
  allowDevSignIn: boolean;
  brandName: string;
  supportEmail: string;
  businessEmail: string;
  /** For everything that is neither support nor business. */
  contactEmail: string;
  /** Addresses and CIDRs whose X-Forwarded-* headers are trusted. */
  trustProxy: readonly string[];
  masterKey: string | undefined;
  /** The one that `souk rotate-key` brings, while brokers have both. */
  nextMasterKey: string | undefined;
  /** Where the shop backs itself up, how often, and how many backups stay. */
  backup: { dir: string; everySeconds: number; keep: number } | undefined;
  /** How long what only grows is kept (docs/retention.md). */
  retention: { callsMonths: number; usageMonths: number; auditYears: number; versionsKept: number; booksYears: number };
  /** What the operator supplies for servers, by variable: UPSTREAM_HEADER_…, UPSTREAM_CLIENT_SECRET_…. */
  upstreamSecrets: ReadonlyMap<string, string>;
  /** What administrators may let in beside the operator's lists. */
  adminMayAllow: { addresses: boolean; packages: boolean };
  /** Absolute path of the plans and packages that are sold, in place of the bundled ones. */
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
  /** What programs (stdio servers) may take. */
  programLimits: {
    /** On disk: all files of one person at all servers; for a program that people share, its own. */
    folderBytes: number;
    /** One program, with all that it starts. */
    memoryBytes: number;
    /** All programs of one person. */
    personMemoryBytes: number;
    /** With less than this free on the disk of the data folder no program runs: the embedded database needs it. */
    freeDiskBytes: number;
  };
  /** A control group of the kernel's in which the broker may make others, for the memory of programs. */
  programsCgroup: string | undefined;
  /** info in production; on a desk the terminal stays quiet. */
  logLevel: string;
  /** Where traces and figures are sent; nowhere where undefined. */
  telemetry: TelemetryConfig | undefined;
  /** Where /metrics is served; nowhere where undefined. */
  metrics: { port: number; host: string } | undefined;
  serviceRestartDelayMs: number;
  healthIntervalMs: number;
  /** How long a stop still serves new requests after /readyz says 503, so that load balancers take note. */
  drainGraceMs: number;
  /** How long the proxy in front of us keeps idle connections to us: so long may one that we have still bring a request. */
  proxyKeepAliveMs: number;
  limits: {
    callsPerMinuteToken: number;
    callsPerMinuteUser: number;
    /** Of MCP requests that are no tool calls. */
    requestsPerMinuteToken: number;
    signInPerMinute: number;
    /** Of the API, by the weights of the contract. */
    api: { perMinuteUser: number; perMinuteAddress: number };
    callsInFlightPerServer: number | undefined;
    callsInFlightPerUser: number;
    /** To all servers, open at the same time. */
    upstreamConnections: number;
  };
  /** Variables that are set and probably meant to be others. */
  misspelled: readonly Misspelled[];
  /** What is in force and where it comes from, for administrators: no secret. */
  settings: readonly Setting[];
  /** The values of everything that is secret, which texts of others may quote. */
  secretValues: readonly string[];
};

/** @param period such as 24h or 7d */
const secondsOf = (period: string) => Number(period.slice(0, -1)) * (period.endsWith('d') ? 86_400 : 3_600);
const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(path));

/** Every problem of the configuration at once. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super(`The configuration has ${count}:\n${problems.map((p) => `  - ${p}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** The proxy's variables alone, for commands that need no configuration. @throws ConfigError */
export function readProxyConfig(environment: NodeJS.ProcessEnv): OutgoingProxy | undefined {
  const problems: string[] = [];
  const proxy = readOutgoingProxy(readEnvironment(environment, []), problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return proxy;
}

/**
 * What programs may take, for a check beside variables that have problems: one of those that is refused counts as not set.
 */
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
 * @param files of the variables that came from a file of --env-file, its path
 * @throws ConfigError with all problems at once; the start exits with 78 (EX_CONFIG).
 */
export function readConfig(environment: NodeJS.ProcessEnv, files: FilesOfVariables = new Map()): Config {
  const problems: string[] = [];
  const env = readEnvironment(environment, problems);
  const together = combineVariables(env, environment, problems);
  const upstreamSecrets = readUpstreamSecrets(environment, problems);
  const misspelled = findMisspelled(environment, variableNames, upstreamPrefixes);
  // one that is missing may be there under a wrong name
  if (problems.length > 0) throw new ConfigError([...problems, ...misspelled.map(sayMisspelled)]);

  const { production, standIn, payments } = together;
  const isForThisMachine =
    (standIn && !env.ALLOW_DEV_SIGN_IN) || (payments === 'sandbox' && !env.ALLOW_SANDBOX_PAYMENTS);
  const telemetryHeaders = Object.fromEntries(
    env.OTEL_EXPORTER_OTLP_HEADERS.map((header) => {
      const [name = '', ...value] = header.split('=');
      return [name, decodeURIComponent(value.join('='))];
    }),
  );
  const config: Omit<Config, 'settings' | 'secretValues'> = {
    ...together,
    port: env.PORT,
    publicUrl: together.publicUrl.origin,
    // With a stand-in anyone can sign in as anyone, or buy anything for nothing: only this machine can reach it unless the
    // operator says otherwise.
    host: isForThisMachine ? '127.0.0.1' : (env.HOST ?? (standIn ? '127.0.0.1' : '0.0.0.0')),
    ignoredHost: isForThisMachine && !['127.0.0.1', 'localhost'].includes(env.HOST ?? '') ? env.HOST : undefined,
    dataDir: isAbsolute(env.DATA_DIR) ? env.DATA_DIR : resolve(env.DATA_DIR),
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
    retention: {
      callsMonths: env.CALLS_MONTHS,
      usageMonths: env.USAGE_MONTHS,
      auditYears: env.AUDIT_YEARS,
      versionsKept: env.VERSIONS_KEPT,
      booksYears: env.BOOKS_YEARS,
    },
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
    catalogueDir: env.CATALOGUE_DIR === undefined ? undefined : resolve(env.CATALOGUE_DIR),
    bundledCatalogue: env.BUNDLED_CATALOGUE === 'on',
    upstreamAllowAddresses: env.UPSTREAM_ALLOW_ADDRESSES,
    ...programConfigOf(env, production),
    stdioAllowlist: env.STDIO_ALLOWLIST,
    logLevel: env.LOG_LEVEL ?? (production ? 'info' : 'warn'),
    telemetry:
      env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
            headers: telemetryHeaders,
            serviceName: env.OTEL_SERVICE_NAME,
            tracedShare: env.OTEL_TRACES_SAMPLER_ARG,
          },
    metrics: env.METRICS_PORT === undefined ? undefined : { port: env.METRICS_PORT, host: env.METRICS_HOST },
    serviceRestartDelayMs: env.SERVICE_RESTART_DELAY_MS,
    healthIntervalMs: env.HEALTH_INTERVAL_MS,
    drainGraceMs: env.DRAIN_GRACE_MS ?? (production ? 5000 : 0),
    proxyKeepAliveMs: env.PROXY_KEEP_ALIVE_MS ?? (production ? 5000 : 0),
    limits: {
      callsPerMinuteToken: env.MCP_CALLS_PER_MINUTE_TOKEN,
      callsPerMinuteUser: env.MCP_CALLS_PER_MINUTE_USER,
      requestsPerMinuteToken: env.MCP_REQUESTS_PER_MINUTE_TOKEN,
      signInPerMinute: env.SIGN_IN_PER_MINUTE,
      api: { perMinuteUser: env.API_REQUESTS_PER_MINUTE_USER, perMinuteAddress: env.API_REQUESTS_PER_MINUTE_ADDRESS },
      callsInFlightPerServer: env.MCP_IN_FLIGHT_SERVER === undefined ? undefined : Number(env.MCP_IN_FLIGHT_SERVER),
      callsInFlightPerUser: env.MCP_IN_FLIGHT_USER,
      upstreamConnections: env.UPSTREAM_CONNECTIONS,
    },
    misspelled,
  };
  const { publicUrl, host, dataDir, adminEmails, paymentMethods, stdio, logLevel, drainGraceMs, proxyKeepAliveMs } =
    config;
  const inForce = {
    PUBLIC_URL: publicUrl,
    HOST: host,
    ADMIN_EMAILS: [...adminEmails],
    PAYMENT_METHODS: [...paymentMethods],
    STDIO: stdio,
    LOG_LEVEL: logLevel,
    DRAIN_GRACE_MS: drainGraceMs,
    PROXY_KEEP_ALIVE_MS: proxyKeepAliveMs,
  };
  return {
    ...config,
    secretValues: [...secretValuesOf(env, upstreamSecrets), ...Object.values(telemetryHeaders)],
    settings: describeSettings(env, environment, { files, inForce, masterKeyFile: join(dataDir, 'master.key') }),
  };
}
