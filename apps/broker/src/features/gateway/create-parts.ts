import type { Billing } from '#features/billing/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import type { Identity } from '#features/identity/index.ts';
import type { Config } from '#platform/config.ts';
import type { Database } from '#platform/db/database.ts';
import { createCallRate } from './call/call-rate.ts';
import { createOpenQuestions } from './call/open-questions.ts';
import { createPageQuestions } from './call/page-questions.ts';
import { createRunningCalls } from './call/running-calls.ts';
import type { InFlight } from './door/in-flight.ts';
import type { GatewayEvents } from './gateway-events.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { isCompact } from './preferences/gateway-preferences.ts';
import { createInputRounds } from './protocol/input-rounds/create-input-rounds.ts';
import type { RoundsElsewhere } from './protocol/input-rounds/elsewhere/rounds-elsewhere.ts';
import { roundTtlMs } from './protocol/input-rounds/request-state.ts';
import { createResourceSubscriptions } from './protocol/subscriptions/resource-subscriptions.ts';
import { questionPatienceMs } from './protocol/while-heard.ts';
import { createResultValidator } from './result-validation/create-result-validator.ts';
import { howToGet } from './view/hidden-text.ts';
import { createPersonalView } from './view/personal-view.ts';

type OutsideParts = Pick<
  GatewayParts,
  'catalogue' | 'pool' | 'keepAlive' | 'formerServer' | 'unread' | 'tracing' | 'clock' | 'ids' | 'log'
>;

export type GatewayOptions = OutsideParts & {
  config: Config;
  identity: Identity;
  billing: Billing;
  preferences: Upstreams['preferences'];
  personalTools: Upstreams['personalTools'];
  signIn: Pick<Upstreams['signIn'], 'needsAccount'>;
  db: Database;
  /** How long a question waits for a client whose stream is gone; 15 s by default. */
  questionPatienceMs?: number | undefined;
  events?: GatewayEvents;
  /** Signs what clients carry from one round of a call to the next. Every replica has the same key. */
  stateKey: Uint8Array;
  version: string;
};

/** Stages of a stop: calls that wait for users are ended first, then no more calls are taken. */
export type StopStage = { isStopping: boolean; isDraining: boolean };

export function createParts(
  options: GatewayOptions,
  { answers, elsewhere, stage }: { answers: InFlight; elsewhere: RoundsElsewhere | undefined; stage: StopStage },
): GatewayParts {
  const { config, billing, db, clock, events, log } = options;
  const { publicUrl } = config;
  const { charges, entitlement, links, priceRises } = billing;
  const questions = createOpenQuestions();
  const view = createPersonalView(entitlement, options);
  const toGet = howToGet(billing);
  const pages = createPageQuestions({ clock, ttlMs: roundTtlMs });
  return {
    ...options,
    charges,
    priceRises,
    riseUrl: links.riseUrl,
    credits: async (userId) => ({ ...links, account: await billing.credits(userId) }),
    entitlement,
    howToGet: toGet,
    view,
    subscriptions: createResourceSubscriptions({ ...options, view, publicUrl, howToGet: toGet }),
    needsSignIn: options.signIn.needsAccount,
    answered(request, method) {
      if (!request) return;
      request.isAnswered = true;
      events?.requestAnswered(request, method);
    },
    isCompact: (caller) => isCompact(db.query, caller),
    rounds: createInputRounds({ key: options.stateKey, clock, underWay: answers, questions, pages, elsewhere }),
    pages,
    questionPatienceMs: options.questionPatienceMs ?? questionPatienceMs,
    publicUrl,
    results: createResultValidator({ clock, log }),
    callRate: createCallRate(config.limits, clock, db.brokers),
    runningCalls: createRunningCalls(),
    questions,
    isStopping: () => stage.isStopping,
    isDraining: () => stage.isDraining,
  };
}
