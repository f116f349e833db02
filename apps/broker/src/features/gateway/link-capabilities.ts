import type { ServerCapabilities } from '@modelcontextprotocol/server';
import {
  serverFeatures,
  type CatalogueServer,
  type CatalogueSnapshot,
  type ServerFeature,
} from '#features/catalogue/index.ts';

/**
 * What a link tells its clients that it has: tools always, and else what its server has, or any of all servers has. On
 * the link of everything all of them count, whoever may use them: what somebody switches on or buys must not want a new
 * session. That lists change is ours to say, whatever a server says of it.
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

/** As the server said; else what its lists show, and of one that was never asked whatever there may be. */
function featuresKnown({ features, ...server }: CatalogueServer): readonly ServerFeature[] {
  if (features) return features;
  if (server.discoveredAtMs === undefined) return serverFeatures;
  const hasPrompts = server.prompts.length > 0;
  const hasResources = server.resources.length + server.templates.length > 0;
  return serverFeatures.filter((feature) => {
    if (feature === 'prompts') return hasPrompts;
    if (feature === 'resources' || feature === 'subscriptions') return hasResources;
    return feature === 'logging' || hasPrompts || hasResources;
  });
}
