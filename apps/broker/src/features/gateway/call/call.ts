import type { CallerSignal } from '#adapters/mcp/upstream.ts';
import type { PriceRise, UsageRow } from '#features/billing/index.ts';
import type { CatalogueItem, CatalogueServer } from '#features/catalogue/index.ts';
import type { Now, WhyHidden } from '../view/personal-view.ts';
import type { RequestContext } from '../view/request-context.ts';

/** Shared by all rounds of one call: a call that asks for input consists of several requests. */
export type LogicalCall = {
  /** Created when the first round arrived. */
  readonly id: string;
  /** The credits held for the first round; undefined before that. */
  credits?: number | undefined;
  /** Questions of this call that the client has answered. */
  answers?: number | undefined;
  /** The price that the user has not approved, for which this round was refused. */
  priceRise?: PriceRise | undefined;
  /** The price that the client's next request answers a question about. */
  priceAsked?: PriceRise | undefined;
  /** The usage row of the rounds so far, which the next round replaces. */
  left?: { atMs: number; durationMs: number } | undefined;
};

/** The reason for aborting a call whose question was not answered. */
export const unanswered = new Error('The question was not answered');

/** One client request for a tool, prompt or resource, on the fast path or through the SDK. */
export type Call = {
  readonly logical: LogicalCall;
  readonly context: RequestContext;
  readonly kind: UsageRow['kind'];
  readonly signal: CallerSignal;
  /** `_meta` of the client's message, without the keys that only concern its hop. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  resolve(): Now<Target>;
};

export type Target = FoundTarget | HiddenTarget | UnknownTarget;
/** `name` is the server's own; `tool` is absent for prompts and resources. */
export type FoundTarget = { kind: 'found'; server: CatalogueServer; name: string; tool?: CatalogueItem };
type HiddenTarget = { kind: 'hidden'; server: CatalogueServer; name: string; why: WhyHidden };
export type UnknownTarget = { kind: 'unknown'; name: string };
