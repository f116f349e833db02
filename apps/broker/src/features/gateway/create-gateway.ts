import type { UnreadAnswers } from '#platform/http/connections/unread-answers.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Billing } from '#features/billing/index.ts';
import { createRegistryNames, type Catalogue } from '#features/catalogue/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import type { Identity } from '#features/identity/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Database } from '#platform/db/database.ts';
import type { Router } from '#platform/http/router.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { Tracing } from '#platform/telemetry/tracing.ts';
import { createRunningCalls } from './call/running-calls.ts';
import { createCallRate } from './call/call-rate.ts';
import { createOpenQuestions } from './call/open-questions.ts';
import { createPageQuestions } from './call/page-questions.ts';
import type { GatewayEvents } from './gateway-events.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { isCompact } from './preferences/gateway-preferences.ts';
import { createInFlight } from './door/in-flight.ts';
import type { KeepAlive } from '#platform/http/connections/keep-alive.ts';
import { createInputRounds } from './protocol/input-rounds/create-input-rounds.ts';
import { createRoundsElsewhere } from './protocol/input-rounds/elsewhere/rounds-elsewhere.ts';
import { roundTtlMs } from './protocol/input-rounds/request-state.ts';
import { questionPatienceMs } from './protocol/while-heard.ts';
import { createMcpEndpoint } from './protocol/mcp-endpoint.ts';
import { createIdentities } from './protocol/server-identity.ts';
import { mountServerCards } from './server-card/routes.ts';
import { tellReplicasFirst } from './replicas/tell-replicas-first.ts';
import { createResultValidator } from './result-validation/create-result-validator.ts';
import { createToolRuns } from './tool-runs/create-tool-runs.ts';
import { mountToolRuns } from './tool-runs/routes.ts';
import { createRunsElsewhere } from './tool-runs/runs-elsewhere.ts';
import { changedFor, changesOf } from './view/list-changes.ts';
import { howToGet } from './view/hidden-text.ts';
import { createPersonalView } from './view/personal-view.ts';
import { mountGatewayPreferences } from './preferences/routes.ts';
import { createFastPath } from './fast-path/serve-fast.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { mountGatewayRoutes } from './door/routes.ts';
import { takeOver } from './door/take-over.ts';
import { isOfMcpClient, sendUnknownLink } from './door/unknown-link.ts';
import { createResourceSubscriptions } from './protocol/subscriptions/resource-subscriptions.ts';

export type Gateway = {
  mountRoutes(app: FastifyInstance, router: Router): Promise<void>;
  /** Answers an MCP client at an address that nothing is at. @returns whether it was one */
  answerUnknown(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Sessions of clients up to 2025-11-25 in the memory of this process. */
  sessionCount(): number;
  /** Removes those that have been idle for too long, and messages that no process took, of every process. */
  removeExpiredSessions(): Promise<void>;
  /** Ends calls that wait for an answer, and streams that last, in an orderly way: their clients go on at another broker. */
  letGo(): void;
  /** Takes no more calls; resolves when all have been answered, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
};

/** The MCP endpoints: every tool that a person may use behind one link. */
export async function createGateway(options: {
  config: Config;
  identity: Identity;
  catalogue: Catalogue;
  pool: Upstreams['pool'];
  billing: Billing;
  preferences: Upstreams['preferences'];
  offers: Upstreams['offers'];
  signIn: Pick<Upstreams['signIn'], 'needsAccount'>;
  db: Database;
  keepAlive: KeepAlive;
  formerServer: GatewayParts['formerServer'];
  unread: UnreadAnswers;
  tracing: Tracing | undefined;
  /** By default 15 s. */
  questionPatienceMs?: number | undefined;
  /** Is told of requests at the endpoints. */
  events?: GatewayEvents;
  /** Signs what clients carry from one round of a call to the next; every replica has the same. */
  stateKey: Uint8Array;
  version: string;
  clock: Clock;
  ids: Ids;
  log: Log;
}): Promise<Gateway> {
  const { config, identity, catalogue, preferences, db, clock, events, log } = options;
  const requestRate = createRateLimit(config.limits.requestsPerMinuteToken, clock, undefined, db.brokers);
  const answers = createInFlight();
  const { charges, entitlement, links, priceRises } = options.billing;
  const questions = createOpenQuestions();
  const view = createPersonalView(entitlement, options);
  const toGet = howToGet(options.billing);
  const pages = createPageQuestions({ clock, ttlMs: roundTtlMs });
  // an embedded database has one broker
  const hasReplicas = db.engine === 'postgresql';
  const elsewhere = hasReplicas ? await createRoundsElsewhere({ ...options, underWay: answers }) : undefined;
  const runsElsewhere = hasReplicas ? await createRunsElsewhere(options) : undefined;
  let draining = false;
  let stopping = false;
  const parts: GatewayParts = {
    ...options,
    charges,
    priceRises,
    riseUrl: links.riseUrl,
    credits: async (userId) => ({ ...links, account: await options.billing.credits(userId) }),
    entitlement,
    howToGet: toGet,
    view,
    subscriptions: createResourceSubscriptions({ ...options, view, publicUrl: config.publicUrl, howToGet: toGet }),
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
    publicUrl: config.publicUrl,
    results: createResultValidator({ clock, log }),
    callRate: createCallRate(config.limits, clock, db.brokers),
    runningCalls: createRunningCalls(),
    questions,
    isStopping: () => stopping,
    isDraining: () => draining,
  };
  const own = { title: config.brandName, version: options.version };
  const identityOf = createIdentities(own, { names: createRegistryNames(config.publicUrl), catalogue });
  const endpoint = await createMcpEndpoint(identityOf, parts, options.db);
  const fastPath = createFastPath(identityOf, parts, endpoint);
  const runs = createToolRuns(parts, runsElsewhere, db.brokers);

  const replicas = hasReplicas ? tellReplicasFirst(endpoint.notifyListChanged) : undefined;
  const listsChanged = replicas?.listsChanged ?? endpoint.notifyListChanged;
  const stopWatching = catalogue.onChange((_, servers, before) => {
    const changes = changesOf(servers, before, view);
    if (changes) listsChanged(changes);
  });
  const stopPersonChanges = preferences.onChange((userId) => listsChanged(changedFor(userId)));
  const stopAccessChanges = options.billing.access.onChange((userId) => listsChanged(changedFor(userId)));
  const stopRevocations = identity.onRevoked(({ tokenId }) => {
    runs.endForToken(tokenId);
    endpoint.endForToken(tokenId);
  });
  const stopFollowing = identity.followTokens(() => endpoint.tokensOfStreams());
  const stopPersonEnds = identity.onPersonChanged((person) => {
    if (person?.change === 'let in') parts.runningCalls.letIn(person.userId);
    else if (person) endForPerson(person.userId);
    // notices may have been missed: whoever runs something is looked up
    else
      void endForShutOut().catch((error: unknown) => log.warn({ err: error }, 'people who were shut out are unknown'));
  });

  function endForPerson(userId: string): void {
    runs.endForPerson(userId);
    parts.runningCalls.shutOut(userId);
  }

  async function endForShutOut(): Promise<void> {
    for (const userId of await identity.users.shutOutOf(parts.runningCalls.users())) endForPerson(userId);
  }

  return {
    async mountRoutes(app, router) {
      mountGatewayPreferences(router, { ...parts, query: db.query, announce: preferences.announce });
      mountServerCards(router, { ...config, identityOf, catalogue });
      mountToolRuns(router, { runs, keepAlive: parts.keepAlive, answers });
      await mountGatewayRoutes(app, {
        publicUrl: config.publicUrl,
        brandName: config.brandName,
        identity,
        endpoint,
        fastPath,
        parts,
        requestRate,
        isDraining: () => draining,
        answers,
        events,
      });
    },
    answerUnknown(request, reply) {
      if (!isOfMcpClient(request.raw)) return false;
      sendUnknownLink(request, takeOver(reply), { publicUrl: config.publicUrl, parts, events });
      return true;
    },
    sessionCount: () => endpoint.sessions.size,
    async removeExpiredSessions() {
      await endpoint.sessions.removeExpired();
      await elsewhere?.removeExpired();
      await runsElsewhere?.removeExpired();
    },
    letGo() {
      stopping = true;
      questions.endAll();
      endpoint.endStreams();
    },
    async drain(timeoutMs) {
      draining = true;
      await answers.idle(timeoutMs);
    },
    async stop() {
      stopWatching();
      stopPersonChanges();
      stopAccessChanges();
      replicas?.stop();
      stopRevocations();
      stopFollowing();
      stopPersonEnds();
      await parts.rounds.stop();
      await runsElsewhere?.stop();
      parts.subscriptions.stop();
      await parts.results.stop();
      await endpoint.stop();
    },
  };
}
