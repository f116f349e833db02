import type { BillingLinks, Charges, CreditAccount, EntitlementPolicy, PriceRises } from '#features/billing/index.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { Tracing } from '#platform/telemetry/tracing.ts';
import type { CallRate } from './call/call-rate.ts';
import type { OpenQuestions } from './call/open-questions.ts';
import type { RunningCalls } from './call/running-calls.ts';
import type { PageQuestions } from './call/page-questions.ts';
import type { McpRequest } from './gateway-events.ts';
import type { UnreadAnswers } from '#platform/http/connections/unread-answers.ts';
import type { KeepAlive } from '#platform/http/connections/keep-alive.ts';
import type { InputRounds } from './protocol/input-rounds/create-input-rounds.ts';
import type { ResourceSubscriptions } from './protocol/subscriptions/resource-subscriptions.ts';
import type { ResultValidator } from './result-validation/create-result-validator.ts';
import type { HowToGet } from './view/hidden-text.ts';
import type { PersonalView } from './view/personal-view.ts';

/** The name of a server that is no longer deployed, if this user rented or used it. */
export type FormerServerOf = (
  userId: string,
  wanted: { id: string } | { exposedName: string },
) => Promise<string | undefined>;

export type GatewayParts = {
  catalogue: Catalogue;
  pool: Upstreams['pool'];
  charges: Charges;
  priceRises: PriceRises;
  riseUrl: BillingLinks['riseUrl'];
  /** The credits that a user's calls may spend, and the pages where the user changes that. */
  credits(userId: string): Promise<BillingLinks & { account: CreditAccount }>;
  view: PersonalView;
  /** Decides who may use which server, switched off or not. */
  entitlement: EntitlementPolicy;
  /** Whether the user must sign in at a server, or enter headers for it, before its tools answer. */
  needsSignIn(userId: string, server: CatalogueServer): Promise<boolean>;
  howToGet: HowToGet;
  formerServer: FormerServerOf;
  /** Whether this client gets the short list of /mcp. */
  isCompact(caller: Caller): Promise<boolean>;
  results: ResultValidator;
  callRate: CallRate;
  runningCalls: RunningCalls;
  questions: OpenQuestions;
  /** Whether the broker is stopping: calls that end now may be ended by us. */
  isStopping(): boolean;
  isDraining(): boolean;
  /** Notifies listeners that `method` of this request has a result (gateway-events.ts). Does nothing without a request. */
  answered(request: McpRequest | undefined, method: string): void;
  /** Calls of several rounds, for clients that cannot be asked in the middle of one. */
  rounds: InputRounds;
  pages: PageQuestions;
  subscriptions: ResourceSubscriptions;
  keepAlive: KeepAlive;
  unread: UnreadAnswers;
  /** Traces calls as spans; undefined if that is off. */
  tracing: Tracing | undefined;
  /** How long a question waits for a client whose stream is gone and may be resumed. */
  questionPatienceMs: number;
  publicUrl: string;
  clock: Clock;
  ids: Ids;
  log: Log;
};
