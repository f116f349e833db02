import { createHash } from 'node:crypto';
import {
  getCapabilities,
  getHealth,
  getInfo,
  getPrompts,
  getResources,
  getTools,
} from '@souk/contract/catalogue/catalogue.ts';
import { approveToolChange, listToolChanges, rejectToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { createKeptAnswers } from '#platform/http/answers/kept-answers.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Router } from '#platform/http/router.ts';
import type { Catalogue } from './create-catalogue.ts';
import type { Decision } from './review/decide-tool-change.ts';
import { servedTools } from './snapshot/served-tools.ts';
import type { UsedTogether } from './search/related-servers.ts';
import type { ServerIndex } from './search/server-index.ts';
import { isDown, lastUpdateMs, type CatalogueServer, type CatalogueSnapshot } from './snapshot/snapshot.ts';
import { mountSearchRoutes } from './search/search-routes.ts';
import {
  presentCapabilities,
  presentPrompts,
  presentResources,
  presentServers,
  presentTools,
  type SoldTerms,
} from './present.ts';

/**
 * Mounts the public read calls under /mcp/, which answer from memory without waiting for upstreams or the database, and
 * the administrators' decisions about changed tools.
 */
export function mountCatalogueRoutes(
  router: Router,
  parts: {
    catalogue: Catalogue;
    indexOf: (snapshot: CatalogueSnapshot) => ServerIndex;
    usedTogether: () => UsedTogether;
    config: Config;
    clock: Clock;
    version: string;
    protocolVersions: readonly string[];
    soldTerms(server: CatalogueServer): SoldTerms;
  },
): void {
  const { catalogue, config, clock } = parts;
  const isoNow = () => new Date(clock.now()).toISOString();

  router.route(getInfo, () => ({
    name: config.brandName,
    version: parts.version,
    link: `${config.publicUrl}/mcp`,
    protocolVersions: [...parts.protocolVersions],
    transport: 'streamable-http' as const,
    supportEmail: config.supportEmail,
    serverCount: catalogue.snapshot().servers.length,
  }));

  router.route(getHealth, () => {
    const { servers } = catalogue.snapshot();
    const totalCapabilities = servers.reduce(
      (sum, server) => sum + servedTools(server).length + server.prompts.length + server.resources.length,
      0,
    );
    const isAnyKnown = servers.some((server) => server.status !== 'disconnected' || server.statusDetail !== undefined);
    return {
      status: servers.length > 0 && !isAnyKnown ? ('initializing' as const) : ('healthy' as const),
      timestamp: isoNow(),
      server: { serverCount: servers.length, totalCapabilities },
      connections: { connected: servers.filter((server) => server.status === 'connected').length },
      serversDown: servers.filter(isDown).length,
    };
  });

  const answers = createKeptAnswers();
  router.route(getCapabilities, (exchange) => {
    const snapshot = catalogue.snapshot();
    const terms = JSON.stringify(snapshot.servers.map(parts.soldTerms));
    const version = `${snapshot.version} ${createHash('sha1').update(terms).digest('base64')}`;
    return answers.send(getCapabilities, exchange, version, () => ({
      servers: presentServers(snapshot, parts.soldTerms),
      capabilities: presentCapabilities(snapshot),
      lastUpdate: new Date(Math.max(0, ...snapshot.servers.map(lastUpdateMs))).toISOString(),
    }));
  });

  mountSearchRoutes(router, parts);

  router.route(listToolChanges, async ({ query }) => ({
    success: true as const,
    changes: await catalogue.toolChanges(query),
  }));
  const decide = async (id: number, verdict: Decision['verdict'], { userId: by }: Caller, reason?: string) => ({
    success: true as const,
    change: await catalogue.decideToolChange(id, { verdict, by, reason }),
  });
  router.route(approveToolChange, ({ caller, params, body }) => decide(params.id, 'approved', caller, body.reason));
  router.route(rejectToolChange, ({ caller, params, body }) => decide(params.id, 'rejected', caller, body.reason));

  router.route(getTools, (exchange) => {
    const snapshot = catalogue.snapshot();
    return answers.send(getTools, exchange, `${snapshot.version}`, () => ({ tools: presentTools(snapshot) }));
  });
  router.route(getPrompts, (exchange) => {
    const snapshot = catalogue.snapshot();
    return answers.send(getPrompts, exchange, `${snapshot.version}`, () => ({ prompts: presentPrompts(snapshot) }));
  });
  router.route(getResources, (exchange) => {
    const snapshot = catalogue.snapshot();
    return answers.send(getResources, exchange, `${snapshot.version}`, () => ({
      resources: presentResources(snapshot),
    }));
  });
}
