import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import type { AllowanceList } from '@souk/contract/admin/allowances.ts';
import type { FastifyInstance } from 'fastify';
import type { createStripeSandbox } from '@souk/stripe-sandbox';
import type { StripeSandboxAdapter } from '#adapters/stripe/stripe-sandbox.ts';
import type { Administration, Billing } from '#features/billing/index.ts';
import type { Catalogue, ManifestPolicy, ManifestRuns, PeopleOfServers } from '#features/catalogue/index.ts';
import type { Diagnostics } from '#features/diagnostics/index.ts';
import type { Gateway } from '#features/gateway/index.ts';
import type { Identity, IdentityOptions } from '#features/identity/index.ts';
import type { Allowances, Imports, TurnLimits, Upstreams } from '#features/upstreams/index.ts';
import type { Notices } from '#features/notices/index.ts';
import type { SystemView } from '#features/system/index.ts';
import type { ServerUse, UsageWriter } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { KeyRing } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { KeepAliveTimes } from '#platform/http/connections/keep-alive.ts';
import type { ResolveName } from '#platform/http/outgoing/name-lookups.ts';
import type { UnreadLimits } from '#platform/http/connections/unread-answers.ts';
import type { Router } from '#platform/http/router.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { Overview } from './overview/create-overview.ts';
import type { Paths } from './paths.ts';

export type AppOptions = {
  config: Config;
  log: Log;
  clock?: Clock;
  ids?: Ids;
  /** An open database; by default the configured one is opened. */
  db?: Database;
  /** Parts of billing that tests replace: the entitlement policy and the charges. */
  billing?: Partial<Pick<Billing, 'entitlement' | 'charges'>>;
  paths?: Paths;
  /** Environment in which npm finds its settings for programs that are packages; by default this process's. */
  environment?: NodeJS.ProcessEnv;
  /** The built web app; without it the broker serves only its API. */
  webFolder?: string;
  /** host:port of non-public addresses that are allowed as upstreams, in addition to the configured ones. */
  allowAddresses?: readonly string[];
  /** Replaces this machine's name resolution in tests. */
  resolve?: ResolveName;
  /** Parts of identity that tests replace: Google's issuer, and the dispatcher for clients' metadata documents. */
  identity?: Partial<Pick<IdentityOptions, 'googleIssuer' | 'documentDispatcher'>>;
  /** Starts the stand-in for Stripe; tests pass one whose webhooks they control. */
  createStripeSandbox?: typeof createStripeSandbox;
  /** Time after which late answers become streams, and the interval of comments on them; tests use shorter ones. */
  keepAlive?: KeepAliveTimes;
  /** How much of its answers a client may leave unread, and how long; tests use shorter times. */
  unread?: Partial<UnreadLimits>;
  /** How many servers are discovered concurrently; tests allow fewer. */
  askTurns?: TurnLimits;
  /** How long a question waits for a client whose stream has closed; tests wait less. */
  questionPatienceMs?: number;
  /** Runs the checks of the operator's commands for the administrators' tab "System". */
  systemChecks?: () => Promise<ConnectionCheck[]>;
  /** Writes a backup into a file in another process; without it there are no automatic backups. */
  writeBackup?: (file: string) => Promise<void>;
  /** How long a stop waits for running calls after its grace period. */
  drainMs?: number;
};

export type App = {
  readonly server: FastifyInstance;
  readonly router: Router;
  readonly identity: Identity;
  readonly catalogue: Catalogue;
  readonly policy: ManifestPolicy;
  readonly people: PeopleOfServers;
  /** Reload and deploy-all. */
  readonly manifestRuns: ManifestRuns;
  readonly imports: Imports;
  readonly allowances: Allowances;
  allowList(): Promise<Omit<AllowanceList, 'success'>>;
  readonly upstreams: Upstreams;
  readonly gateway: Gateway;
  readonly billing: Billing;
  readonly administration: Administration;
  readonly notices: Notices;
  readonly usage: UsageWriter;
  readonly serverFigures: ServerUse;
  readonly overview: Overview;
  /** Records alerts for the operator. Returns the number of new causes. */
  checkAlerts(): Promise<number>;
  readonly system: SystemView;
  readonly diagnostics: Diagnostics;
  /** The stand-in for Stripe; undefined with real keys, and if nothing is sold. */
  readonly stripeSandbox: StripeSandboxAdapter | undefined;
  readonly db: Database;
  readonly vault: KeyRing;
  /** Starts the bundled services and listens. Then discovers the servers in the background. */
  start(): Promise<void>;
  /** Resolves when discovery has been tried once for every server. */
  readonly serversAsked: Promise<void>;
  /**
   * Finishes running calls, ends child processes and connections, and closes the database.
   * @param whenSettled is called when no more requests arrive, while everything still runs
   */
  stop(whenSettled?: () => Promise<unknown>): Promise<void>;
};
