import { isAbsolute, resolve } from 'node:path';
import { foldEmail } from '@souk/contract/fold-email.ts';
import { combineVariables } from './config/combine-variables.ts';
import { readEnvironment } from './config/environment.ts';
import type { OidcConfig } from './config/oidc-config.ts';
import { readOutgoingProxy, type OutgoingProxy } from './config/outgoing-proxy.ts';
import type { Payments } from './config/payments.ts';
import type { SignInAllow } from './config/sign-in-allow.ts';
import { readUpstreamSecrets } from './config/upstream-secrets.ts';

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
  /** Whether money is taken by Stripe, by the stand-in for it, or not at all. */
  payments: Payments;
  stripe: { secretKey: string; webhookSecret: string } | undefined;
  /** The payment provider's names of what people pay with. */
  paymentMethods: readonly string[];
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
 * Reads the configuration from environment variables (clarifications, "Commands and configuration").
 * @throws ConfigError with all problems at once; the start exits with 78 (EX_CONFIG).
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const env = readEnvironment(environment, problems);
  const together = combineVariables(env, environment, problems);
  const upstreamSecrets = readUpstreamSecrets(environment, problems);
  if (problems.length > 0) throw new ConfigError(problems);

  const { production, standIn, payments } = together;
  const isForThisMachine =
    (standIn && !env.ALLOW_DEV_SIGN_IN) || (payments === 'sandbox' && !env.ALLOW_SANDBOX_PAYMENTS);
  return {
    ...together,
    port: env.PORT,
    publicUrl: together.publicUrl.origin,
    // With a stand-in anyone can sign in as anyone, or buy anything for nothing: only this machine can reach it unless the
    // operator says otherwise.
    host: isForThisMachine ? '127.0.0.1' : (env.HOST ?? (standIn ? '127.0.0.1' : '0.0.0.0')),
    ignoredHost: isForThisMachine && !['127.0.0.1', 'localhost'].includes(env.HOST ?? '') ? env.HOST : undefined,
    dataDir: isAbsolute(env.DATA_DIR) ? env.DATA_DIR : resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    adminEmails: env.ADMIN_EMAILS.length > 0 || !standIn ? env.ADMIN_EMAILS.map(foldEmail) : ['admin@souk.test'],
    paymentMethods: env.PAYMENT_METHODS.length > 0 ? env.PAYMENT_METHODS : ['card'],
    allowDevSignIn: env.ALLOW_DEV_SIGN_IN,
    brandName: env.BRAND_NAME,
    supportEmail: env.SUPPORT_EMAIL,
    businessEmail: env.BUSINESS_EMAIL,
    contactEmail: env.CONTACT_EMAIL,
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
