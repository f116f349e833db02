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
  /** An open database; by default, the one in the configuration is opened. */
  db?: Database;
  /** Parts of billing that tests replace: the entitlement policy and the charges. */
  billing?: Partial<Pick<Billing, 'entitlement' | 'charges'>>;
  paths?: Paths;
  /** Where npm finds its settings when a program is a package; by default this process's environment. */
  environment?: NodeJS.ProcessEnv;
  /** The built web app; without it the broker serves only its API. */
  webFolder?: string;
  /** host:port of non-public addresses that are allowed as upstreams, beside those of the configuration. */
  allowAddresses?: readonly string[];
  /** Stands in for this machine's resolver in tests, for addresses from outside. */
  resolve?: ResolveName;
  /** Parts of identity that tests replace: Google's issuer, and the dispatcher for clients' metadata documents. */
  identity?: Partial<Pick<IdentityOptions, 'googleIssuer' | 'documentDispatcher'>>;
  /** Starts the stand-in for Stripe; tests hand in one whose webhooks they control. */
  createStripeSandbox?: typeof createStripeSandbox;
  /** When late answers become streams, and how often comments are sent on them; tests wait less. */
  keepAlive?: KeepAliveTimes;
  /** How much of their answers people may leave unread, and how long; tests wait less. */
  unread?: Partial<UnreadLimits>;
  /** How many servers are asked at once what they offer; tests allow fewer. */
  askTurns?: TurnLimits;
  /** How long a question waits for a client whose stream is gone; tests wait less. */
  questionPatienceMs?: number;
  /** What the operator's commands check of this installation, for the administrators' tab "System". */
  systemChecks?: () => Promise<ConnectionCheck[]>;
  /** Writes a backup into a file, in another process; without it no backup is made by itself. */
  writeBackup?: (file: string) => Promise<void>;
  /** How long a stop waits for running calls, after its grace. */
  drainMs?: number;
};

export type App = {
  readonly server: FastifyInstance;
  readonly router: Router;
  readonly identity: Identity;
  readonly catalogue: Catalogue;
  /** Which manifests this installation takes. */
  readonly policy: ManifestPolicy;
  readonly people: PeopleOfServers;
  /** Reload and deploy-all. */
  readonly manifestRuns: ManifestRuns;
  /** Servers that are taken from texts and registries. */
  readonly imports: Imports;
  readonly allowances: Allowances;
  /** Administrators read and change the allow list with it. */
  allowList(): Promise<Omit<AllowanceList, 'success'>>;
  readonly upstreams: Upstreams;
  readonly gateway: Gateway;
  readonly billing: Billing;
  readonly administration: Administration;
  readonly notices: Notices;
  readonly usage: UsageWriter;
  readonly serverFigures: ServerUse;
  readonly overview: Overview;
  /** Looks for what the operator has to be told, and notes it. Answers how many causes are new. */
  checkAlerts(): Promise<number>;
  /** This installation as administrators see it. */
  readonly system: SystemView;
  readonly diagnostics: Diagnostics;
  /** The stand-in for Stripe; undefined with real keys, and where nothing is sold. */
  readonly stripeSandbox: StripeSandboxAdapter | undefined;
  readonly db: Database;
  readonly vault: KeyRing;
  /** Listens, then starts the services and discovers the servers in the background. */
  start(): Promise<void>;
  /** Resolves when every server was discovered once after the start. */
  readonly serversAsked: Promise<void>;
  /**
   * Finishes running calls, ends child processes and connections, closes the database.
   * @param whenSettled is called when no more requests come, while everything still runs
   */
  stop(whenSettled?: () => Promise<unknown>): Promise<void>;
};
