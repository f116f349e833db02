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

/** The name of a server that is not deployed any more, if this person had it. */
export type FormerServerOf = (
  userId: string,
  wanted: { id: string } | { exposedName: string },
) => Promise<string | undefined>;

/** What the gateway's use cases work with. */
export type GatewayParts = {
  catalogue: Catalogue;
  pool: Upstreams['pool'];
  charges: Charges;
  /** Asks people before their calls cost more. */
  priceRises: PriceRises;
  /** The page where a rise is approved. */
  riseUrl: BillingLinks['riseUrl'];
  /** What a person's calls may spend, and the pages where they change that. */
  credits(userId: string): Promise<BillingLinks & { account: CreditAccount }>;
  /** What each person sees of each server. */
  view: PersonalView;
  /** Who may use which server, switched off or not. */
  entitlement: EntitlementPolicy;
  /** Whether the person must sign in at a server, or enter headers for it, before its tools answer. */
  needsSignIn(userId: string, server: CatalogueServer): Promise<boolean>;
  howToGet: HowToGet;
  formerServer: FormerServerOf;
  /** Whether this client gets the short list of /mcp. */
  isCompact(caller: Caller): Promise<boolean>;
  /** Compares results with the outputSchema of their tool. */
  results: ResultValidator;
  callRate: CallRate;
  /** Ends those of a person who is shut out. */
  runningCalls: RunningCalls;
  /** Calls that wait for an answer, which a stop ends first. */
  questions: OpenQuestions;
  /** The broker stops: calls that end now may be ended by us. */
  isStopping(): boolean;
  /** No more calls are taken. */
  isDraining(): boolean;
  /** Tells listeners that `method` of this request came to a result (gateway-events.ts); of one without a request, nothing. */
  answered(request: McpRequest | undefined, method: string): void;
  /** Calls of several rounds, for clients that cannot be asked in the middle of one. */
  rounds: InputRounds;
  /** Which clients may be asked to open a page. */
  pages: PageQuestions;
  subscriptions: ResourceSubscriptions;
  /** Keeps the streams of late answers open. */
  keepAlive: KeepAlive;
  /** Answers that people have not read. */
  unread: UnreadAnswers;
  /** Follows calls as spans; undefined where that is off. */
  tracing: Tracing | undefined;
  /** How long a question waits for a client whose stream is gone and may be taken up again. */
  questionPatienceMs: number;
  publicUrl: string;
  clock: Clock;
  ids: Ids;
  log: Log;
};
