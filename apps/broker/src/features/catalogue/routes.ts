import { getCapabilities, getHealth, getInfo, getPrompts, getResources, getTools } from '@souk/contract/catalogue.ts';
import { approveToolChange, listToolChanges, rejectToolChange } from '@souk/contract/tool-changes.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Router } from '#platform/http/router.ts';
import type { Catalogue } from './create-catalogue.ts';
import type { ServerIndex } from './server-index.ts';
import { isDown, lastUpdateMs, type CatalogueServer, type CatalogueSnapshot } from './snapshot.ts';
import { mountSearchRoutes } from './search-routes.ts';
import { presentPrompts, presentResources, presentServer, presentTools } from './present.ts';

/**
 * The public read calls under /mcp/, which answer from memory and wait for no upstream and no database; and the
 * administrator's decisions on tools that changed.
 */
export function mountCatalogueRoutes(
  router: Router,
  options: {
    catalogue: Catalogue;
    indexOf: (snapshot: CatalogueSnapshot) => ServerIndex;
    config: Config;
    clock: Clock;
    version: string;
    protocolVersions: readonly string[];
    /** Of the payment provider, where it knows the rental of the server. */
    rentalPriceId(server: CatalogueServer): string | undefined;
  },
): void {
  const { catalogue, config, clock } = options;
  const isoNow = () => new Date(clock.now()).toISOString();

  router.route(getInfo, () => ({
    name: config.brandName,
    version: options.version,
    link: `${config.publicUrl}/mcp`,
    protocolVersions: [...options.protocolVersions],
    transport: 'streamable-http' as const,
    supportEmail: config.supportEmail,
    serverCount: catalogue.snapshot().servers.length,
  }));

  router.route(getHealth, () => {
    const { servers } = catalogue.snapshot();
    const totalCapabilities = servers.reduce(
      (sum, server) => sum + server.tools.length + server.prompts.length + server.resources.length,
      0,
    );
    const asked = servers.some((server) => server.status !== 'disconnected' || server.statusDetail !== undefined);
    return {
      status: servers.length > 0 && !asked ? ('initializing' as const) : ('healthy' as const),
      timestamp: isoNow(),
      server: { serverCount: servers.length, totalCapabilities },
      connections: { connected: servers.filter((server) => server.status === 'connected').length },
      serversDown: servers.filter(isDown).length,
    };
  });

  router.route(getCapabilities, () => {
    const snapshot = catalogue.snapshot();
    const newest = Math.max(0, ...snapshot.servers.map(lastUpdateMs));
    return {
      servers: snapshot.servers.map((server) => presentServer(server, options.rentalPriceId(server))),
      capabilities: [...presentTools(snapshot), ...presentPrompts(snapshot), ...presentResources(snapshot)],
      lastUpdate: new Date(newest).toISOString(),
    };
  });

  mountSearchRoutes(router, options);

  router.route(listToolChanges, async ({ query }) => ({
    success: true as const,
    changes: await catalogue.toolChanges(query),
  }));
  router.route(approveToolChange, async ({ caller, params, body }) => ({
    success: true as const,
    change: await catalogue.decideToolChange(params.id, {
      verdict: 'approved',
      by: caller.userId,
      reason: body.reason,
    }),
  }));
  router.route(rejectToolChange, async ({ caller, params, body }) => ({
    success: true as const,
    change: await catalogue.decideToolChange(params.id, {
      verdict: 'rejected',
      by: caller.userId,
      reason: body.reason,
    }),
  }));

  router.route(getTools, () => ({ tools: presentTools(catalogue.snapshot()) }));
  router.route(getPrompts, () => ({ prompts: presentPrompts(catalogue.snapshot()) }));
  router.route(getResources, () => ({ resources: presentResources(catalogue.snapshot()) }));
}
