import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createRegistryNames } from '#features/catalogue/index.ts';
import type { Router } from '#platform/http/router.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { createParts, type GatewayOptions, type StopStage } from './create-parts.ts';
import type { Door } from './door/door.ts';
import { createInFlight } from './door/in-flight.ts';
import { mountGatewayRoutes } from './door/routes.ts';
import { takeOver } from './door/take-over.ts';
import { isOfMcpClient, sendUnknownLink } from './door/unknown-link.ts';
import { createFastPath } from './fast-path/serve-fast.ts';
import { followChanges } from './follow-changes.ts';
import { mountGatewayPreferences } from './preferences/routes.ts';
import { createRoundsElsewhere } from './protocol/input-rounds/elsewhere/rounds-elsewhere.ts';
import { createMcpEndpoint } from './protocol/mcp-endpoint.ts';
import { createIdentities } from './protocol/server-identity.ts';
import { mountServerCards } from './server-card/routes.ts';
import { createToolRuns } from './tool-runs/create-tool-runs.ts';
import { mountToolRuns } from './tool-runs/routes.ts';
import { createRunsElsewhere } from './tool-runs/runs-elsewhere.ts';

export type Gateway = Awaited<ReturnType<typeof createGateway>>;

/** The MCP endpoints: every tool that a user may use, behind one link. */
export async function createGateway(options: GatewayOptions) {
  const { config, identity, catalogue, preferences, db, clock, events } = options;
  const requestRate = createRateLimit(config.limits.requestsPerMinuteToken, clock, undefined, db.brokers);
  const answers = createInFlight();
  // an embedded database has one broker
  const hasReplicas = db.engine === 'postgresql';
  const elsewhere = hasReplicas ? await createRoundsElsewhere({ ...options, underWay: answers }) : undefined;
  const runsElsewhere = hasReplicas ? await createRunsElsewhere(options) : undefined;
  const stage: StopStage = { isStopping: false, isDraining: false };
  const parts = createParts(options, { answers, elsewhere, stage });
  const own = { title: config.brandName, version: options.version };
  const identityOf = createIdentities(own, { names: createRegistryNames(config.publicUrl), catalogue });
  const endpoint = await createMcpEndpoint(identityOf, parts, db);
  const fastPath = createFastPath(identityOf, parts, endpoint);
  const runs = createToolRuns(parts, runsElsewhere, db.brokers);
  const stopFollowing = followChanges(options, { ...parts, runs, endpoint, hasReplicas });
  const { brandName } = config;
  const door: Door = { brandName, identity, endpoint, fastPath, parts, requestRate, answers, events };

  return {
    async mountRoutes(app: FastifyInstance, router: Router): Promise<void> {
      mountGatewayPreferences(router, { ...parts, query: db.query, announce: preferences.announce });
      mountServerCards(router, { ...config, identityOf, catalogue });
      mountToolRuns(router, { runs, keepAlive: parts.keepAlive, answers });
      await mountGatewayRoutes(app, door);
    },
    /** Answers a request at an unknown address if it comes from an MCP client. @returns whether it did */
    answerUnknown(request: FastifyRequest, reply: FastifyReply): boolean {
      if (!isOfMcpClient(request.raw)) return false;
      sendUnknownLink(request, takeOver(reply), door);
      return true;
    },
    /** Sessions of clients up to 2025-11-25 in the memory of this process. */
    sessionCount: () => endpoint.sessions.size,
    /** Removes the expired sessions and messages of all processes. */
    async removeExpiredSessions(): Promise<void> {
      await endpoint.sessions.removeExpired();
      await elsewhere?.removeExpired();
      await runsElsewhere?.removeExpired();
    },
    /** Ends calls that wait for an answer, and lasting streams, gracefully: their clients continue at another broker. */
    endLongRequests(): void {
      stage.isStopping = true;
      parts.questions.endAll();
      endpoint.endStreams();
    },
    /** Takes no more calls. Resolves when all have been answered, or after `timeoutMs`. */
    async drain(timeoutMs: number): Promise<void> {
      stage.isDraining = true;
      await answers.idle(timeoutMs);
    },
    async stop(): Promise<void> {
      stopFollowing();
      await parts.rounds.stop();
      await runsElsewhere?.stop();
      parts.subscriptions.stop();
      await parts.results.stop();
      await endpoint.stop();
    },
  };
}
