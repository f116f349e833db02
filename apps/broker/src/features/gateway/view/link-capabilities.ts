import type { ServerCapabilities } from '@modelcontextprotocol/server';
import {
  serverFeatures,
  type CatalogueServer,
  type CatalogueSnapshot,
  type ServerFeature,
} from '#features/catalogue/index.ts';
import { needsOwnSecrets } from '#features/upstreams/index.ts';

/**
 * The capabilities that a link announces: tools, and the features of its server. /mcp announces the features of all
 * servers, even those that the user cannot use yet, so that enabling or buying one needs no new session. We always announce
 * changing lists, even if a server does not.
 */
export function capabilitiesOf(serverId: string | undefined, snapshot: CatalogueSnapshot): ServerCapabilities {
  const servers = serverId === undefined ? snapshot.servers : [snapshot.byId.get(serverId)];
  const has = new Set(servers.flatMap((server) => (server ? featuresKnown(server) : [])));
  return {
    tools: { listChanged: true },
    ...(has.has('prompts') && { prompts: { listChanged: true } }),
    ...(has.has('resources') && { resources: { listChanged: true, subscribe: has.has('subscriptions') } }),
    ...(has.has('completions') && { completions: {} }),
    ...(has.has('logging') && { logging: {} }),
  };
}

/** The features that the server announced, or that its lists show; all if it was never asked or has personal tools. */
function featuresKnown(server: CatalogueServer): readonly ServerFeature[] {
  if (server.features) return server.features;
  if (server.discoveredAtMs === undefined || needsOwnSecrets(server)) return serverFeatures;
  const hasPrompts = server.prompts.length > 0;
  const hasResources = server.resources.length + server.templates.length > 0;
  return serverFeatures.filter((feature) => {
    if (feature === 'prompts') return hasPrompts;
    if (feature === 'resources' || feature === 'subscriptions') return hasResources;
    return feature === 'logging' || hasPrompts || hasResources;
  });
}
