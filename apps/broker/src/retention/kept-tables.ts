export type KeptTables = {
  /** Names of tables, with a space between them. */
  tables: string;
  what: string;
  /** How long, as people read it. A variable stands in backticks. */
  kept: string;
  why: string;
};

const withAccount = 'until the account is deleted';
const withServer = 'as long as the server is known';
const books = 'as long as the account; after its deletion without name and address for `BOOKS_YEARS`';

/** Every table of the product: what it holds, how long, and why. A test compares it with the schema; docs/retention.md shows it. */
export const keptTables: readonly KeptTables[] = [
  {
    tables: 'users identities user_prefixes',
    what: 'people, how they sign in, and what they are found by',
    kept: `${withAccount}; then an id alone, for \`BOOKS_YEARS\``,
    why: 'an account has to be known again',
  },
  { tables: 'user_counts', what: 'how many people there are', kept: 'always', why: 'one row for each way to sign in' },
  {
    tables: 'sign_ins',
    what: 'sign-ins with their address and browser',
    kept: '90 days, and until the account is deleted',
    why: 'people and administrators see a foreign sign-in',
  },
  {
    tables: 'oauth_records authorizations',
    what: 'sessions, clients, and what people allowed clients',
    kept: 'until they expire or are revoked; a client that no person allowed anything, 14 days',
    why: 'clients stay signed in',
  },
  {
    tables: 'client_documents client_document_faults',
    what: 'what clients publish of themselves, and what was wrong with it',
    kept: '90 days after the last use; a fault, 30 days',
    why: 'a sign-in needs no request to the client',
  },
  {
    tables: 'personal_tokens',
    what: 'personal tokens, as hashes',
    kept: withAccount,
    why: 'people see what they created',
  },
  {
    tables: 'signing_keys kept_keys master_keys',
    what: 'keys, encrypted, and a rotation of the master key',
    kept: 'until they are replaced and nothing signed with them is valid',
    why: 'tokens and secrets have to be read',
  },
  {
    tables: 'gateway_preferences user_server_prefs notice_switches price_approvals',
    what: 'what people switched on and off, and prices that they accepted',
    kept: withAccount,
    why: 'they asked for it',
  },
  {
    tables: 'upstream_connections personal_offers',
    what: 'accounts of people at services, encrypted, and what is offered to these',
    kept: 'until the person or the service takes the account back, or the account is deleted',
    why: 'calls go out in their name',
  },
  {
    tables: 'upstream_sign_ins connection_tests',
    what: 'sign-ins at services and tests that are under way',
    kept: 'at most an hour after they expire',
    why: 'they have to be finished',
  },
  {
    tables: 'upstream_registrations upstream_issuers environment_places server_secrets',
    what: 'what the shop is at a server: its client, its sign-in address, its secrets (encrypted)',
    kept: withServer,
    why: 'the shop has to be known there',
  },
  {
    tables: 'mcp_sessions mcp_session_messages',
    what: 'sessions of clients of the older protocol, and messages between brokers',
    kept: 'until a session was not used for its time; a message, minutes',
    why: 'a session goes on at another broker',
  },
  {
    tables: 'mcp_round_messages tool_run_messages',
    what: 'answers to questions of tools, from broker to broker',
    kept: 'minutes',
    why: 'an answer may reach another broker than the call',
  },
  {
    tables: 'connection_attempts',
    what: 'how far clients got when they connected',
    kept: '30 days, and until the account is deleted',
    why: 'the connection page says what is wrong',
  },
  {
    tables: 'usage_events',
    what: 'each call: which tool, when, what came of it, its credits; no argument and no result',
    kept: '`CALLS_MONTHS` whole months beside the current one, and until the account is deleted; those of its last hour, a day longer',
    why: 'people see what they paid for',
  },
  {
    tables: 'usage_daily usage_parts',
    what: "a person's calls by day, tool and service",
    kept: '`USAGE_MONTHS` whole months beside the current one, and until the account is deleted',
    why: 'figures of a month need no single calls',
  },
  {
    tables: 'usage_people',
    what: 'the last day on which a person used something',
    kept: withAccount,
    why: 'the overview counts people',
  },
  {
    tables: 'usage_servers usage_server_days usage_days usage_people_days',
    what: 'calls and people by day, of no person',
    kept: '`USAGE_MONTHS` whole months beside the current one',
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
    what: 'what brokers hold and charge at the moment',
    kept: 'minutes; a call that was ended free of charge, an hour',
    why: 'no call is charged twice',
  },
  { tables: 'payment_customers', what: "the person's id at the payment provider", kept: withAccount, why: 'payments' },
  {
    tables: 'purchase_locks',
    what: 'that a change of what the person pays for is under way',
    kept: 'until it is over',
    why: 'one change at a time',
  },
  {
    tables: 'customer_clearings',
    what: 'customers at the payment provider whose account was deleted, of no person',
    kept: 'until their balance is paid back',
    why: 'what they have there is theirs',
  },
  {
    tables: 'payment_events',
    what: 'events of the payment provider, without their content',
    kept: '30 days after they were worked off',
    why: 'none is worked off twice',
  },
  {
    tables: 'figure_days figure_parts',
    what: 'money and credits by day, of no person',
    kept: 'always',
    why: 'a few rows a day',
  },
  { tables: 'ledger_checks', what: 'the last check of the ledger', kept: 'until the next one', why: 'System shows it' },
  {
    tables: 'plans credit_packages plan_prices provider_prices price_moves price_move_items',
    what: 'what is sold and was sold, and moves of subscribers',
    kept: 'always; the row of a person in a move goes with their books',
    why: 'people keep the price that they subscribed with',
  },
  {
    tables: 'welcomed_addresses trial_addresses',
    what: 'that an address had welcome credits or a trial, as a keyed fingerprint',
    kept: 'always, also after the account is deleted',
    why: 'each address has these once',
  },
  {
    tables:
      'servers capabilities tool_pins tool_changes tool_prices server_health server_icons server_certificates registry_updates',
    what: 'servers, what they offer and cost, and how they are',
    kept: withServer,
    why: 'the catalog',
  },
  {
    tables: 'manifest_versions',
    what: 'manifests',
    kept: 'the deployed and the staged one, and of each server the last `VERSIONS_KEPT` before',
    why: 'one can go back to them',
  },
  {
    tables: 'server_health_days',
    what: 'how often a server was up, by day',
    kept: '90 days',
    why: 'its page shows it',
  },
  {
    tables: 'manifest_runs manifest_run_items registries registry_looks',
    what: 'runs of deployments, registries, and the last look for updates',
    kept: 'the last 20 runs; a registry until it is removed',
    why: 'administrators see them',
  },
  {
    tables: 'allowed_addresses allowed_packages',
    what: 'what administrators allowed servers',
    kept: 'until it is removed',
    why: 'servers need it',
  },
  {
    tables: 'audit_log',
    what: 'who decided what, when and from which address',
    kept: '`AUDIT_YEARS` whole years; the e-mail and network addresses of a person, until the account is deleted',
    why: 'a decision has to be explained',
  },
  {
    tables: 'notices',
    what: 'messages that are to be sent, and which were',
    kept: '90 days after they were sent, and until the account is deleted; the one that tells of this has its address until it is sent, three days at most',
    why: 'none is sent twice',
  },
  { tables: 'alerts', what: 'what operators were told of', kept: 'until the cause is gone', why: 'none is told twice' },
  {
    tables: 'live_brokers own_backups erasures_to_repeat migration_versions',
    what: 'brokers that run, the last backup, deletions that a restore repeats, migrations',
    kept: 'an hour; the last one; until it is done; always',
    why: 'the installation',
  },
  {
    tables: 'stripe_sandbox.objects',
    what: 'what the stand-in for the payment provider knows',
    kept: 'always; empty in production',
    why: 'made-up payments',
  },
];
