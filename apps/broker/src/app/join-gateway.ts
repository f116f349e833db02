import { hadAccess } from '#features/billing/index.ts';
import { findFormerServer } from '#features/catalogue/index.ts';
import { createGateway, type FormerServerOf } from '#features/gateway/index.ts';
import { hasUsed } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { App, AppOptions } from '../app-types.ts';
import { logRefusals } from '../refusals/log-refusals.ts';
import type { Refusals } from '../refusals/refusals.ts';
import { version } from '../version.ts';
import type { Platform } from './open-platform.ts';

type Parts = Pick<App, 'identity' | 'diagnostics' | 'catalogue' | 'upstreams' | 'billing'> & {
  options: Pick<AppOptions, 'questionPatienceMs'>;
  refusals: Refusals;
};

/** Builds the MCP endpoints and reports their requests to diagnostics. */
export async function joinGateway(platform: Platform, parts: Parts) {
  const { config, db, keepAlive, unread, clock, ids, log } = platform;
  const { identity, diagnostics, catalogue, upstreams, billing } = parts;
  return createGateway({
    config,
    identity,
    catalogue,
    pool: upstreams.pool,
    billing,
    preferences: upstreams.preferences,
    personalTools: upstreams.personalTools,
    signIn: upstreams.signIn,
    db,
    keepAlive,
    formerServer: formerServers({ query: db.query, clock }),
    unread,
    tracing: platform.telemetry?.tracing,
    questionPatienceMs: parts.options.questionPatienceMs,
    events: logRefusals(diagnostics.gatewayEvents, parts.refusals),
    stateKey: await platform.keptKey('request-state'),
    version,
    clock,
    ids,
    log,
  });
}

/** Names an undeployed server to users who rented or used it. Other users must not learn that it existed. */
function formerServers({ query, clock }: { query: Query; clock: Clock }): FormerServerOf {
  return async (userId, wanted) => {
    const server = await findFormerServer(query, wanted);
    if (!server) return undefined;
    const had = (await hadAccess(query, userId, server.id)) || (await hasUsed(query, userId, server.id, clock.now()));
    return had ? server.name : undefined;
  };
}
