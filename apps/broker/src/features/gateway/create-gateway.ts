import type { FastifyInstance } from 'fastify';
import type { Catalogue, CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Connections } from '#features/connections/index.ts';
import type { Identity } from '#features/identity/index.ts';
import type { UsageWriter } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Query } from '#platform/db/database.ts';
import type { Router } from '#platform/http/router.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { isCompact } from './gateway-preferences.ts';
import { createInFlight } from './in-flight.ts';
import { createInputRounds } from './input-rounds/create-input-rounds.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';
import { viewOf, type AccessPolicy } from './person.ts';
import { mountGatewayPreferences } from './preference-routes.ts';
import { createPlainPath } from './plain/serve-plain.ts';
import { createRateLimit } from './rate-limit.ts';
import { mountGatewayRoutes } from './routes.ts';
import { createResourceSubscriptions } from './subscriptions/resource-subscriptions.ts';

export type Gateway = {
  mountRoutes(app: FastifyInstance, router: Router): Promise<void>;
  /** Open sessions of clients up to 2025-11-25. */
  sessionCount(): number;
  /** Takes no more calls; resolves when those under way have been answered, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
};

/** The MCP endpoints: every tool that a person may use behind one link. */
export function createGateway(options: {
  config: Config;
  identity: Identity;
  catalogue: Catalogue;
  pool: Connections['pool'];
  usage: UsageWriter;
  /** Who may use which server. */
  entitled: AccessPolicy;
  preferences: Connections['preferences'];
  offers: Connections['offers'];
  signIn: Pick<Connections['signIn'], 'isMissing'>;
  query: Query;
  /** Signs what clients carry from one round of a call to the next; every replica has the same. */
  stateKey: Uint8Array;
  version: string;
  clock: Clock;
  ids: Ids;
  log: Log;
}): Gateway {
  const { config, identity, catalogue, preferences, clock } = options;
  const perToken = createRateLimit(config.limits.callsPerMinuteToken, clock);
  const perUser = createRateLimit(config.limits.callsPerMinuteUser, clock);
  const requestRate = createRateLimit(config.limits.requestsPerMinuteToken, clock);
  const answers = createInFlight();
  const access = viewOf(options.entitled, options);
  const parts: GatewayParts = {
    ...options,
    access,
    subscriptions: createResourceSubscriptions({ ...options, access, publicUrl: config.publicUrl }),
    needsSignIn: options.signIn.isMissing,
    isCompact: (caller) => isCompact(options.query, caller),
    rounds: createInputRounds({ key: options.stateKey, clock }),
    publicUrl: config.publicUrl,
    withinRate: (caller) => perToken.take(caller.tokenId) && perUser.take(caller.userId),
    retryAfterSeconds: (caller) =>
      Math.max(1, Math.ceil(Math.max(perToken.waitMs(caller.tokenId), perUser.waitMs(caller.userId)) / 1000)),
  };
  const serverIdentity = { name: 'souk', title: config.brandName, version: options.version };
  const endpoint = createMcpEndpoint(serverIdentity, parts);
  const plain = createPlainPath(serverIdentity, parts, endpoint);

  let draining = false;
  let lists = listsOf(catalogue.snapshot());
  const stopWatching = catalogue.onChange((snapshot) => {
    const now = listsOf(snapshot);
    if (now !== lists) endpoint.notifyListChanged();
    lists = now;
  });
  const stopPersonChanges = preferences.onChange((userId) => endpoint.notifyListChanged(userId));
  const stopRevocations = identity.onRevoked(({ tokenId }) => endpoint.endForToken(tokenId));

  return {
    async mountRoutes(app, router) {
      mountGatewayPreferences(router, { ...parts, query: options.query, announce: preferences.announce });
      await mountGatewayRoutes(app, {
        publicUrl: config.publicUrl,
        identity,
        endpoint,
        plain,
        parts,
        requestRate,
        isDraining: () => draining,
        answers,
      });
    },
    sessionCount: () => endpoint.sessions.size,
    async drain(timeoutMs) {
      draining = true;
      await answers.idle(timeoutMs);
    },
    async stop() {
      stopWatching();
      stopPersonChanges();
      stopRevocations();
      parts.rounds.stop();
      parts.subscriptions.stop();
      await endpoint.stop();
    },
  };
}

/** What would change a client's lists: not health, which changes far more often. */
function listsOf(snapshot: CatalogueSnapshot): string {
  return snapshot.servers.map((server) => `${server.id} ${server.deployedAtMs} ${server.offersHash}`).join('\n');
}
