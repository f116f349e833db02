import type { Environment } from '../../apps/broker/src/platform/config/environment.ts';

export type VariableDoc = {
  /** What it does, in a sentence that begins with the verb or with what the value is. */
  text: string;
  /** Where the schema has no default, or not all of it. */
  default?: string;
};

export type VariableGroup = {
  title: string;
  text?: string;
  variables: Partial<Record<keyof Environment, VariableDoc>>;
};

/** Each variable once: a test compares them with the schema. */
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
        text: 'The address that people and clients use. Every absolute address is made from it. Production wants https.',
        default: '`http://localhost:{PORT}`',
      },
      TRUST_PROXY: {
        text: 'Addresses and CIDRs of your proxies, separated by commas. Their `X-Forwarded-*` headers count, those of others do not.',
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
        text: 'PostgreSQL 15 or newer: `postgres://user:password@host:5432/database`. Production needs it.',
        default: 'none: the embedded database in `DATA_DIR`',
      },
      DATABASE_LISTEN_URL: {
        text: "PostgreSQL's own address, where `DATABASE_URL` is PgBouncer's ([PostgreSQL](deploy/postgres.md)).",
        default: '`DATABASE_URL`',
      },
      DATABASE_POOL_SIZE: {
        text: 'Connections of one broker to PostgreSQL. A quarter is for work in the background; 5 more are for records, maintenance and notices.',
      },
      MASTER_KEY: {
        text: '32 random bytes in base64url, which encrypt every secret at rest. Production needs it, as `MASTER_KEY` or by `MASTER_KEY_FILE`.',
        default: 'a file in `DATA_DIR` that only you can read',
      },
      MASTER_KEY_NEXT: { text: 'The key that [`souk rotate-key`](keys.md) brings, while brokers have both.' },
      BACKUP_DIR: {
        text: 'A folder for [backups](backup.md) that the shop writes by itself.',
        default: 'none: no backup by itself',
      },
      BACKUP_EVERY: { text: 'How often it writes one: hours or days, such as `12h` or `7d`.', default: '24h' },
      BACKUP_KEEP: { text: 'How many backups stay.' },
      CALLS_MONTHS: {
        text: 'How many whole months each call is kept, beside the current one. [Retention](retention.md) says of every table how long.',
      },
      USAGE_MONTHS: { text: 'How many whole months sums of calls by day are kept, beside the current one.' },
      AUDIT_YEARS: { text: 'How many whole years the audit log is kept.' },
      VERSIONS_KEPT: { text: 'How many former versions of each manifest are kept.' },
      BOOKS_YEARS: {
        text: 'How many years payments and credits of a deleted account are kept, without its name. Ask what your law wants.',
      },
    },
  },
  {
    title: 'Signing in',
    text: 'Without a provider, a stand-in offers demo accounts, on this machine alone.',
    variables: {
      GOOGLE_CLIENT_ID: { text: 'Your OAuth client at Google.', default: 'none: the stand-in' },
      GOOGLE_CLIENT_SECRET: { text: 'Its secret.' },
      OIDC_ISSUER: { text: 'The address of your own OpenID provider, beside Google or in its place.' },
      OIDC_CLIENT_ID: { text: 'Your client there.' },
      OIDC_CLIENT_SECRET: { text: 'Its secret.' },
      OIDC_NAME: { text: 'The name of the provider on the sign-in page.', default: "the issuer's host" },
      OIDC_TRUST_EMAIL: { text: '`1` where the provider sends no `email_verified`, and its addresses are verified.' },
      SIGN_IN_ALLOW: {
        text: 'The e-mail domains and addresses that may sign in, separated by commas. A domain counts exactly, without its subdomains.',
        default: 'everyone',
      },
      ADMIN_EMAILS: {
        text: 'The e-mail addresses of administrators, separated by commas.',
        default: '`admin@souk.test` with the stand-in, else none',
      },
      ALLOW_DEV_SIGN_IN: {
        text: '`1` opens the stand-in beyond this machine: then anyone can sign in as anyone.',
      },
      I_KNOW_ANYONE_CAN_SIGN_IN: { text: 'Must be `1` beside `ALLOW_DEV_SIGN_IN` in production.' },
      CLIENT_DOCUMENTS: {
        text: 'Whether clients may sign in by a metadata document: `on`, `off`, or `auto`, which is on unless `PUBLIC_URL` is this machine.',
      },
    },
  },
  {
    title: 'What is sold',
    text: 'Without a Stripe key payments are demo payments: no money moves. [Payments](payments.md) says how to go live.',
    variables: {
      STRIPE_SECRET_KEY: { text: "Your account's secret key at Stripe.", default: 'none: the stand-in' },
      STRIPE_WEBHOOK_SECRET: { text: 'The signing secret of the webhook at Stripe.' },
      PAYMENTS: { text: '`off` sells nothing: no plans, no prices, and every call is free.' },
      PAYMENT_METHODS: {
        text: "What people pay with, in Stripe's names, separated by commas: `card,sepa_debit`.",
        default: '`card`',
      },
      STRIPE_TAX: {
        text: '`1` adds tax to prices on the payment page, by the buyer’s address: it asks for the address and a tax ID. Set up Stripe Tax first.',
      },
      PROMOTION_CODES: {
        text: '`1` shows a field for promotion codes on the payment page. You make the codes at Stripe.',
      },
      ALLOW_SANDBOX_PAYMENTS: {
        text: '`1` allows demo payments in production and beyond this machine: then anyone can buy anything for nothing.',
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
    title: 'What people see',
    variables: {
      BRAND_NAME: { text: 'The name of the shop.' },
      SUPPORT_EMAIL: { text: 'Where people ask for help.' },
      BUSINESS_EMAIL: { text: 'Where companies ask for an offer.' },
      CONTACT_EMAIL: { text: 'Where everyone else writes.' },
    },
  },
  {
    title: 'E-mails and alerts',
    text: '[Notices](notices.md) says who is told what, and when.',
    variables: {
      SMTP_URL: {
        text: 'Your mail server: `smtp://user:password@host:587` or `smtps://user:password@host:465`. With a user, no mail leaves without TLS. E-mails come from `SUPPORT_EMAIL`.',
        default: 'none: no e-mails; the demo shows them at `/dev-mail`',
      },
      ALERT_WEBHOOK_URL: {
        text: 'Where alerts for the operator are posted as JSON, such as an incoming webhook of Slack. A private address has to be in `UPSTREAM_ALLOW_ADDRESSES`.',
        default: 'none: alerts go to `ADMIN_EMAILS` by e-mail',
      },
      ALERT_WEBHOOK_SECRET: { text: 'Signs each alert, so that its receiver knows it as yours.' },
    },
  },
  {
    title: 'Services and servers',
    variables: {
      CATALOGUE_DIR: { text: 'A folder of your own [manifests](manifests.md): `staged/` and `deployed/`.' },
      BUNDLED_CATALOGUE: { text: '`off` starts without the bundled services.' },
      UPSTREAM_ALLOW_ADDRESSES: {
        text: 'Private servers that may be reached, also over http: `host:port` or CIDR, separated by commas.',
        default: 'none: public addresses only',
      },
      ADMIN_MAY_ALLOW: {
        text: 'What administrators may let in from the browser: `addresses` of your network, npm `packages`, or both ([security](../SECURITY.md)).',
      },
      UPSTREAM_CONNECTIONS: {
        text: 'Open connections of one broker to servers. `/readyz` says when they are too few.',
      },
      HEALTH_INTERVAL_MS: {
        text: 'Milliseconds between two checks of a server. Of thousands, those that were not used for a day are checked less often.',
      },
      SERVICE_RESTART_DELAY_MS: { text: 'Milliseconds before a bundled service that ended is started again.' },
      MCP_IN_FLIGHT_SERVER: {
        text: 'Calls of one server at a time. For benchmarks: leave it to the manifest.',
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
      STDIO_ALLOWLIST: { text: 'Your own list of programs. It replaces the bundled one.', default: 'the bundled list' },
      PERSONAL_FOLDER_MB: {
        text: 'Megabytes of files that programs may keep for one person, at all servers together.',
      },
      PROGRAM_MEMORY_MB: { text: 'Megabytes of memory of one program.' },
      PERSONAL_MEMORY_MB: { text: 'Megabytes of memory of all programs of one person.' },
      FREE_DISK_MB: { text: 'With less than this free on the disk of `DATA_DIR` no program runs.' },
      PROGRAMS_CGROUP: { text: 'A delegated control group, in which the kernel holds the memory of programs.' },
    },
  },
  {
    title: 'Limits',
    text: 'With several brokers, [each holds its share](limits.md).',
    variables: {
      MCP_CALLS_PER_MINUTE_TOKEN: { text: 'Calls a minute of one token.' },
      MCP_CALLS_PER_MINUTE_USER: { text: 'Calls a minute of one person, over all tokens.' },
      MCP_REQUESTS_PER_MINUTE_TOKEN: { text: 'Other MCP requests a minute of one token.' },
      MCP_IN_FLIGHT_USER: { text: 'Calls of one person at a time.' },
      SIGN_IN_PER_MINUTE: { text: 'Sign-ins a minute from one address.' },
      API_REQUESTS_PER_MINUTE_USER: {
        text: 'Requests of the API a minute by one person; exports and searches count as several ([how](decisions/0063-what-a-request-may-cost.md)).',
      },
      API_REQUESTS_PER_MINUTE_ADDRESS: { text: 'The same by one address without a sign-in.' },
    },
  },
  {
    title: 'Log, figures and traces',
    variables: {
      LOG_LEVEL: {
        text: 'JSON lines on stdout from this level on: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
        default: '`info` in production, else `warn`',
      },
      METRICS_PORT: {
        text: 'The port of `/metrics` for Prometheus ([monitoring](deploy/monitoring.md)).',
        default: 'none: off',
      },
      METRICS_HOST: { text: 'The address that it listens on.' },
      OTEL_EXPORTER_OTLP_ENDPOINT: {
        text: 'The address of an OpenTelemetry collector ([traces](telemetry.md)).',
        default: 'none: off',
      },
      OTEL_EXPORTER_OTLP_HEADERS: { text: 'Headers of each request to it: `name=value`, separated by commas.' },
      OTEL_SERVICE_NAME: { text: 'The name of its traces.' },
      OTEL_TRACES_SAMPLER_ARG: {
        text: 'The share of calls that are traced, of those whose client has not decided: 0 to 1.',
      },
    },
  },
  {
    title: 'Network and stop',
    variables: {
      HTTPS_PROXY: { text: 'The proxy that requests to servers and providers leave by.', default: 'none: directly' },
      HTTP_PROXY: { text: 'The same for plain http.', default: 'none: directly' },
      NO_PROXY: { text: 'Hosts, domains and CIDRs that are reached without it.' },
      DRAIN_GRACE_MS: {
        text: 'Milliseconds in which a stop still serves new requests, after `/readyz` says 503.',
        default: '0; 5000 in production',
      },
      PROXY_KEEP_ALIVE_MS: {
        text: 'Milliseconds that your proxy keeps idle connections to Souk: a stop waits for them ([why](deploy/proxy.md)).',
        default: '0; 5000 in production',
      },
    },
  },
];

/** Variables whose names are made of a server's or a program's name. */
export const patternVariables: readonly { name: string; text: string }[] = [
  {
    name: 'UPSTREAM_HEADER_{SERVER}__{NAME}',
    text: 'Your secret in a header, for a server whose manifest asks for it. Without it, administrators enter it ([how](manifests.md)).',
  },
  { name: 'UPSTREAM_ENV_{ALIAS}__{NAME}', text: 'A secret of a program ([stdio](stdio.md)).' },
  {
    name: 'UPSTREAM_CLIENT_ID_{SERVER}',
    text: 'The OAuth client that you registered at GitHub, Google, Slack and the like.',
  },
  { name: 'UPSTREAM_CLIENT_SECRET_{SERVER}', text: 'Its secret.' },
  {
    name: 'UPSTREAM_CLIENT_ISSUER_{SERVER}',
    text: 'The only authorization server that this client is shown to. Without it: the one that an administrator confirms.',
  },
];
