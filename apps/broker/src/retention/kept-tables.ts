export type KeptTables = {
  /** Names of tables, separated by spaces. */
  tables: string;
  what: string;
  /** How long, in words, with variables in backticks. */
  kept: string;
  why: string;
};

const withAccount = 'until the account is deleted';
const withServer = 'as long as the server is known';
const books = 'as long as the account; after its deletion without name and address for `BOOKS_YEARS`';

/** All tables: what they hold, how long and why. A test compares this list with the schema; docs/retention.md shows it. */
export const keptTables: readonly KeptTables[] = [
  {
    tables: 'users identities user_prefixes',
    what: 'users, their ways to sign in, and prefixes by which they are found',
    kept: `${withAccount}; then only an id, for \`BOOKS_YEARS\``,
    why: 'users sign in to the same account again',
  },
  { tables: 'user_counts', what: 'the number of users', kept: 'always', why: 'one row for each way to sign in' },
  {
    tables: 'sign_ins',
    what: 'sign-ins with their address and browser',
    kept: '90 days, and until the account is deleted',
    why: 'users and administrators notice a suspect sign-in',
  },
  {
    tables: 'oauth_records authorizations',
    what: 'sessions, clients, and what users allowed clients',
    kept: 'until they expire or are revoked; a client that no user has allowed, 14 days',
    why: 'clients stay signed in',
  },
  {
    tables: 'client_documents client_document_faults',
    what: 'metadata documents of clients, and their faults',
    kept: '90 days after the last use; a fault, 30 days',
    why: 'a sign-in needs no request to the client',
  },
  {
    tables: 'personal_tokens',
    what: 'personal tokens, as hashes',
    kept: withAccount,
    why: 'users see what they created',
  },
  {
    tables: 'signing_keys kept_keys master_keys',
    what: 'keys, encrypted, and a rotation of the master key',
    kept: 'until they are replaced and nothing signed with them is valid',
    why: 'tokens and secrets stay readable',
  },
  {
    tables: 'gateway_preferences user_server_prefs notice_switches price_approvals',
    what: 'what users switched on and off, and prices that they accepted',
    kept: withAccount,
    why: 'users chose it',
  },
  {
    tables: 'upstream_connections personal_tools',
    what: 'accounts of users at services, encrypted, and the tools that these accounts have',
    kept: 'until the user disconnects it, the service revokes it, or the account here is deleted',
    why: 'calls use these accounts',
  },
  {
    tables: 'upstream_sign_ins connection_tests',
    what: 'sign-ins at services and connection tests in progress',
    kept: 'at most an hour after they expire',
    why: 'they have to be completed',
  },
  {
    tables: 'upstream_registrations upstream_issuers environment_places server_secrets',
    what: 'the identity of the shop at a server: its client, its sign-in address, its secrets (encrypted)',
    kept: withServer,
    why: 'the server recognizes the shop',
  },
  {
    tables: 'mcp_sessions mcp_session_messages',
    what: 'sessions of clients of the older protocol, and messages between brokers',
    kept: 'until a session has expired without use; a message, minutes',
    why: 'a session can continue at another broker',
  },
  {
    tables: 'mcp_round_messages tool_run_messages',
    what: 'answers to questions of tools, passed between brokers',
    kept: 'minutes',
    why: 'an answer may reach a different broker than the call',
  },
  {
    tables: 'connection_attempts',
    what: 'the steps of connection attempts',
    kept: '30 days, and until the account is deleted',
    why: 'the connection page shows what went wrong',
  },
  {
    tables: 'usage_events',
    what: 'each call: tool, time, outcome and credits; no arguments and no results',
    kept: '`CALLS_MONTHS` whole months besides the current one, and until the account is deleted; calls of its last hour, a day longer',
    why: 'users see what they paid for',
  },
  {
    tables: 'usage_daily usage_parts',
    what: "a user's calls by day, tool and service",
    kept: '`USAGE_MONTHS` whole months besides the current one, and until the account is deleted',
    why: 'monthly figures do not need single calls',
  },
  {
    tables: 'usage_people',
    what: 'the last day on which a user used something',
    kept: withAccount,
    why: 'the overview counts active users',
  },
  {
    tables: 'usage_servers usage_server_days usage_days usage_people_days',
    what: 'calls and numbers of users by day, without their ids',
    kept: '`USAGE_MONTHS` whole months besides the current one',
    why: 'figures of services and of the shop',
  },
  {
    tables:
      'transactions checkout_orders subscriptions access_grants access_refunds disputes subscription_invoices subscription_invoice_lines subscription_syncs plan_changes',
    what: 'payments, plans, rentals, refunds and disputes',
    kept: books,
    why: 'bookkeeping',
  },
  {
    tables: 'credit_accounts credit_lots ledger_entries',
    what: 'credits: where they came from and what they were spent on',
    kept: books,
    why: 'each balance is the sum of its entries',
  },
  {
    tables: 'credit_leases credit_brokers credit_ended_calls credit_free_aborts',
    what: 'leases, holds and charges of running brokers',
    kept: 'minutes; a call that was ended free of charge, an hour',
    why: 'no call is charged twice',
  },
  { tables: 'payment_customers', what: "the user's id at the payment provider", kept: withAccount, why: 'payments' },
  {
    tables: 'purchase_locks',
    what: 'that a change of what the user pays for is in progress',
    kept: 'until it is done',
    why: 'one change at a time',
  },
  {
    tables: 'customer_clearings',
    what: 'customers at the payment provider whose account here was deleted, without its id',
    kept: 'until their balance is refunded',
    why: 'the balance is theirs',
  },
  {
    tables: 'payment_events',
    what: 'events of the payment provider, without their content',
    kept: '30 days after they were processed',
    why: 'none is processed twice',
  },
  {
    tables: 'figure_days figure_parts',
    what: 'money and credits by day, without users',
    kept: 'always',
    why: 'a few rows a day',
  },
  { tables: 'ledger_checks', what: 'the last check of the ledger', kept: 'until the next one', why: 'System shows it' },
  {
    tables: 'plans credit_packages plan_prices provider_prices price_moves price_move_items',
    what: 'current and former offers, and moves of subscribers to other prices',
    kept: 'always; the row of a user in a move, as long as their books',
    why: 'users keep the price that they subscribed with',
  },
  {
    tables: 'welcomed_addresses trial_addresses',
    what: 'addresses that had welcome credits or a trial, as keyed fingerprints',
    kept: 'always, also after the account is deleted',
    why: 'each address gets these once',
  },
  {
    tables:
      'servers capabilities tool_pins tool_changes tool_prices server_health server_icons server_certificates registry_updates',
    what: 'servers, their tools and prices, and their health',
    kept: withServer,
    why: 'the catalog',
  },
  {
    tables: 'manifest_versions',
    what: 'manifests',
    kept: 'the deployed and the staged one of each server, and its last `VERSIONS_KEPT` previous ones',
    why: 'administrators can return to them',
  },
  {
    tables: 'server_health_days',
    what: 'uptime of servers by day',
    kept: '90 days',
    why: 'their pages show it',
  },
  {
    tables: 'manifest_runs manifest_run_items registries registry_looks',
    what: 'deployment runs, registries, and the last check for updates',
    kept: 'the last 20 runs; a registry until it is removed',
    why: 'administrators see them',
  },
  {
    tables: 'allowed_addresses allowed_packages',
    what: 'addresses and packages that administrators allowed servers',
    kept: 'until it is removed',
    why: 'servers need it',
  },
  {
    tables: 'audit_log',
    what: 'who decided what, when and from which address',
    kept: '`AUDIT_YEARS` whole years; the e-mail and network addresses of a user, until the account is deleted',
    why: 'decisions have to be explained',
  },
  {
    tables: 'notices',
    what: 'messages that wait, and those that were sent',
    kept: '90 days after they were sent, and until the account is deleted; the message about the deletion keeps its address until it is sent, at most three days',
    why: 'none is sent twice',
  },
  { tables: 'alerts', what: 'alerts for operators', kept: 'until the cause is gone', why: 'none is sent twice' },
  {
    tables: 'live_brokers own_backups erasures_to_repeat migration_versions',
    what: 'running brokers, the last backup, deletions that a restore repeats, migrations',
    kept: 'an hour; the last one; until it is done; always',
    why: 'brokers need it',
  },
  {
    tables: 'stripe_sandbox.objects',
    what: 'data of the stand-in for the payment provider',
    kept: 'always; empty in production',
    why: 'demo payments',
  },
];
