import type { Environment } from '../../apps/broker/src/platform/config/environment.ts';

export type VariableDoc = {
  /** Description: a sentence that begins with a verb or a noun. */
  text: string;
  /** Replaces or completes the schema's default. */
  default?: string;
};

export type VariableGroup = {
  title: string;
  text?: string;
  variables: Partial<Record<keyof Environment, VariableDoc>>;
};

/** Lists each variable once; a test compares them with the schema. */
export const variableGroups: readonly VariableGroup[] = [
  {
    title: 'Addresses',
    variables: {
      NODE_ENV: {
        text: '`production` refuses stand-ins, demo services and insecure combinations, and logs more. See [Deploy](deploy/overview.md).',
      },
      PORT: { text: 'The port of the website, the API and the link.' },
      HOST: {
        text: 'The address to listen on. While a stand-in is active, only this machine may connect.',
        default: '0.0.0.0; 127.0.0.1 while a stand-in is active',
      },
      PUBLIC_URL: {
        text: 'The address that users and clients use, from which every absolute address is made. Must be https in production.',
        default: '`http://localhost:{PORT}`',
      },
      TRUST_PROXY: {
        text: 'Addresses and CIDRs of your proxies, separated by commas. Only their `X-Forwarded-*` headers are trusted.',
      },
    },
  },
  {
    title: 'Data and keys',
    variables: {
      DATA_DIR: {
        text: 'The folder of the embedded database, the master key, and the files of services and programs.',
      },
      DATABASE_URL: {
        text: 'PostgreSQL 15 or newer: `postgres://user:password@host:5432/database`. Required in production.',
        default: 'none: the embedded database in `DATA_DIR`',
      },
      DATABASE_LISTEN_URL: {
        text: "PostgreSQL's own address, if `DATABASE_URL` is PgBouncer's ([PostgreSQL](deploy/postgres.md)).",
        default: '`DATABASE_URL`',
      },
      DATABASE_POOL_SIZE: {
        text: 'Connections per broker to PostgreSQL. A quarter is for background work; 5 more are for records, maintenance and notices.',
      },
      MASTER_KEY: {
        text: '32 random bytes in base64url that encrypt every secret at rest. Required in production, as `MASTER_KEY` or `MASTER_KEY_FILE`.',
        default: 'a file in `DATA_DIR` that only you can read',
      },
      MASTER_KEY_NEXT: { text: 'The new key for [`souk rotate-key`](keys.md), while brokers have both.' },
      BACKUP_DIR: {
        text: 'The folder for scheduled [backups](backup.md).',
        default: 'none: no scheduled backups',
      },
      BACKUP_EVERY: {
        text: 'The interval of scheduled backups in hours or days, such as `12h` or `7d`.',
        default: '24h',
      },
      BACKUP_KEEP: { text: 'How many scheduled backups are kept.' },
      CALLS_MONTHS: {
        text: 'How many whole months calls are kept, in addition to the current one. [Retention](retention.md) covers every table.',
      },
      USAGE_MONTHS: { text: 'How many whole months daily sums of calls are kept, in addition to the current one.' },
      AUDIT_YEARS: { text: 'How many whole years the audit log is kept.' },
      VERSIONS_KEPT: { text: 'How many previous versions of each manifest are kept.' },
      BOOKS_YEARS: {
        text: 'How many years payments and credits of a deleted account are kept, anonymized. Check what your law requires.',
      },
    },
  },
  {
    title: 'Signing in',
    text: 'Without a provider, a stand-in offers demo accounts on this machine only.',
    variables: {
      GOOGLE_CLIENT_ID: { text: 'Your OAuth client at Google.', default: 'none: the stand-in' },
      GOOGLE_CLIENT_SECRET: { text: 'The secret of that client.' },
      OIDC_ISSUER: { text: 'The address of your own OpenID provider, in addition to Google or instead of it.' },
      OIDC_CLIENT_ID: { text: 'Your OAuth client at that provider.' },
      OIDC_CLIENT_SECRET: { text: 'The secret of that client.' },
      OIDC_NAME: { text: 'The name of the provider on the sign-in page.', default: "the issuer's host" },
      OIDC_TRUST_EMAIL: { text: '`1` if the provider sends no `email_verified`, but verifies addresses.' },
      SIGN_IN_ALLOW: {
        text: 'The e-mail domains and addresses that may sign in, separated by commas. A domain does not include its subdomains.',
        default: 'everyone',
      },
      ADMIN_EMAILS: {
        text: 'The e-mail addresses of administrators, separated by commas.',
        default: '`admin@souk.test` with the stand-in, else none',
      },
      ALLOW_DEV_SIGN_IN: {
        text: '`1` makes the stand-in reachable from other machines, so that anyone can sign in as anyone.',
      },
      I_KNOW_ANYONE_CAN_SIGN_IN: { text: 'Must be `1` together with `ALLOW_DEV_SIGN_IN` in production.' },
      CLIENT_DOCUMENTS: {
        text: 'Whether clients may sign in with a metadata document: `on`, `off`, or `auto`, which is on unless `PUBLIC_URL` is this machine.',
      },
    },
  },
  {
    title: 'What is sold',
    text: 'Without a Stripe key, payments are demo payments and no money moves. [Payments](payments.md) explains how to go live.',
    variables: {
      STRIPE_SECRET_KEY: { text: "Your account's secret key at Stripe.", default: 'none: the stand-in' },
      STRIPE_WEBHOOK_SECRET: { text: 'The signing secret of the webhook at Stripe.' },
      PAYMENTS: { text: '`off` sells nothing: no plans, no prices, and every call is free.' },
      PAYMENT_METHODS: {
        text: "Accepted payment methods by Stripe's names, separated by commas: `card,sepa_debit`.",
        default: '`card`',
      },
      STRIPE_TAX: {
        text: '`1` adds tax on the payment page, which then asks for the buyer’s address and tax ID. Set up Stripe Tax first.',
      },
      PROMOTION_CODES: {
        text: '`1` shows a field for promotion codes on the payment page. Create the codes at Stripe.',
      },
      ALLOW_SANDBOX_PAYMENTS: {
        text: '`1` allows demo payments in production and from other machines, so that anyone can buy anything for free.',
      },
      OFFERS_FILE: {
        text: 'Plans, credit packages and welcome credits, until an administrator edits them.',
        default: '`catalogue/offers.json`',
      },
      TERMS_FILE: {
        text: 'Your terms, in Markdown, linked in the footer and before a payment.',
        default: "none; the demo's own",
      },
      PRIVACY_FILE: { text: 'Your privacy notice, likewise.', default: "none; the demo's own" },
      REFUNDS_FILE: { text: 'Your rules for refunds, likewise.', default: "none; the demo's own" },
    },
  },
  {
    title: 'Branding',
    variables: {
      BRAND_NAME: { text: 'The name of the shop.' },
      SUPPORT_EMAIL: { text: 'The address for support.' },
      BUSINESS_EMAIL: { text: 'The address for companies that want a quote.' },
      CONTACT_EMAIL: { text: 'The address for all other messages.' },
    },
  },
  {
    title: 'E-mails and alerts',
    text: '[Notices](notices.md) lists all e-mails and alerts.',
    variables: {
      SMTP_URL: {
        text: 'Your mail server: `smtp://user:password@host:587` or `smtps://user:password@host:465`. With a user name, TLS is required. E-mails come from `SUPPORT_EMAIL`.',
        default: 'none: no e-mails; the demo shows them at `/dev-mail`',
      },
      ALERT_WEBHOOK_URL: {
        text: 'The address to which alerts for the operator are posted as JSON, such as an incoming webhook of Slack. A private address must be in `UPSTREAM_ALLOW_ADDRESSES`.',
        default: 'none: alerts go to `ADMIN_EMAILS` by e-mail',
      },
      ALERT_WEBHOOK_SECRET: { text: 'The key that signs alerts, so that their receiver can verify them.' },
    },
  },
  {
    title: 'Services and servers',
    variables: {
      CATALOGUE_DIR: { text: 'The folder of your own [manifests](manifests.md), with `staged/` and `deployed/`.' },
      BUNDLED_CATALOGUE: { text: '`off` starts without the bundled services.' },
      UPSTREAM_ALLOW_ADDRESSES: {
        text: 'Private addresses that servers may have, also with plain http: `host:port` or CIDR, separated by commas.',
        default: 'none: public addresses only',
      },
      ADMIN_MAY_ALLOW: {
        text: 'What administrators may allow in the browser: `addresses` of your network, npm `packages`, or both ([security](../SECURITY.md)).',
      },
      UPSTREAM_CONNECTIONS: {
        text: 'Open connections per broker to servers. `/readyz` reports when they are too few.',
      },
      HEALTH_INTERVAL_MS: {
        text: 'Milliseconds between two checks of a server. With thousands of servers, those not used for a day are checked less often.',
      },
      SERVICE_RESTART_DELAY_MS: { text: 'Milliseconds before a bundled service that exited is restarted.' },
      MCP_IN_FLIGHT_SERVER: {
        text: 'Concurrent calls per server. For benchmarks only; otherwise set it in the manifest.',
        default: "the manifest's `maxInFlight`",
      },
    },
  },
  {
    title: 'Programs (stdio servers)',
    variables: {
      STDIO: {
        text: 'Whether manifests may start programs: `allowlist` or `off` ([stdio](stdio.md)).',
        default: '`allowlist`; `off` in production',
      },
      STDIO_ALLOWLIST: {
        text: 'Your own list of programs, which replaces the bundled one.',
        default: 'the bundled list',
      },
      PERSONAL_FOLDER_MB: {
        text: 'Megabytes of files that programs may store per user, for all servers together.',
      },
      PROGRAM_MEMORY_MB: { text: 'Megabytes of memory per program.' },
      PERSONAL_MEMORY_MB: { text: "Megabytes of memory for all of a user's programs." },
      FREE_DISK_MB: { text: 'Megabytes that must be free on the disk of `DATA_DIR`; with less, no program runs.' },
      PROGRAMS_CGROUP: { text: 'A delegated control group, in which the kernel limits the memory of programs.' },
    },
  },
  {
    title: 'Limits',
    text: 'With several brokers, [each applies its share](limits.md).',
    variables: {
      MCP_CALLS_PER_MINUTE_TOKEN: { text: 'Calls per minute and token.' },
      MCP_CALLS_PER_MINUTE_USER: { text: 'Calls per minute and user, over all tokens.' },
      MCP_REQUESTS_PER_MINUTE_TOKEN: { text: 'Other MCP requests per minute and token.' },
      MCP_IN_FLIGHT_USER: { text: 'Concurrent calls per user.' },
      SIGN_IN_PER_MINUTE: { text: 'Sign-ins per minute and address.' },
      API_REQUESTS_PER_MINUTE_USER: {
        text: 'API requests per minute and user; exports and searches count as several ([how](decisions/0063-request-cost-limits.md)).',
      },
      API_REQUESTS_PER_MINUTE_ADDRESS: { text: 'API requests per minute and address without a sign-in.' },
    },
  },
  {
    title: 'Log, figures and traces',
    variables: {
      LOG_LEVEL: {
        text: 'The lowest level of the JSON log on stdout: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
        default: '`info` in production, else `warn`',
      },
      METRICS_PORT: {
        text: 'The port of `/metrics` for Prometheus ([monitoring](deploy/monitoring.md)).',
        default: 'none: off',
      },
      METRICS_HOST: { text: 'The address on which `/metrics` listens.' },
      OTEL_EXPORTER_OTLP_ENDPOINT: {
        text: 'The address of an OpenTelemetry collector ([traces](telemetry.md)).',
        default: 'none: off',
      },
      OTEL_EXPORTER_OTLP_HEADERS: { text: 'Headers of requests to the collector: `name=value`, separated by commas.' },
      OTEL_SERVICE_NAME: { text: 'The service name in traces.' },
      OTEL_TRACES_SAMPLER_ARG: {
        text: 'The share of calls to trace if the client has not decided: 0 to 1.',
      },
    },
  },
  {
    title: 'Network and stop',
    variables: {
      HTTPS_PROXY: { text: 'The proxy for requests to servers and providers.' },
      HTTP_PROXY: { text: 'The proxy for plain http.' },
      NO_PROXY: { text: 'Hosts, domains and CIDRs that are reached directly.' },
      DRAIN_GRACE_MS: {
        text: 'Milliseconds for which a stopping broker still serves new requests after `/readyz` returns 503.',
        default: '0; 5000 in production',
      },
      PROXY_KEEP_ALIVE_MS: {
        text: 'Milliseconds for which your proxy keeps idle connections to Souk; a stop waits for them ([why](deploy/proxy.md)).',
        default: '0; 5000 in production',
      },
    },
  },
];

/** Variables whose names contain a server's or program's name. */
export const patternVariables: readonly { name: string; text: string }[] = [
  {
    name: 'UPSTREAM_HEADER_{SERVER}__{NAME}',
    text: 'The secret for a header that a manifest requires. Without it, administrators enter the secret ([how](manifests.md)).',
  },
  { name: 'UPSTREAM_ENV_{ALIAS}__{NAME}', text: 'A secret for a program ([stdio](stdio.md)).' },
  {
    name: 'UPSTREAM_CLIENT_ID_{SERVER}',
    text: 'The OAuth client that you registered at GitHub, Google, Slack and the like.',
  },
  { name: 'UPSTREAM_CLIENT_SECRET_{SERVER}', text: 'The secret of that client.' },
  {
    name: 'UPSTREAM_CLIENT_ISSUER_{SERVER}',
    text: 'The only authorization server that this client is sent to. Default: the one that an administrator confirms.',
  },
];
