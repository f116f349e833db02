import { isOwnPath } from '@souk/contract/manifest/manifest.ts';
import type { CapabilityAnswer, CreditPrice, IncludingPlan, ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { categories } from '@souk/contract/manifest/manifest-basics.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { asRecord } from '#platform/json.ts';
import { estimateTokens } from './snapshot/estimate-tokens.ts';
import { servedTools, toolsOfEveryClient } from './snapshot/served-tools.ts';
import {
  hiddenTools,
  isDown,
  lastUpdateMs,
  type CatalogueItem,
  type CatalogueServer,
  type CatalogueSnapshot,
} from './snapshot/snapshot.ts';
import type { Suggestions } from './search/suggest-matches.ts';

/** Current terms of a server's sale, from a feature above. */
export type SoldTerms = {
  /** The payment provider's id of the price; undefined until it knows the rental. */
  rentalPriceId?: string | undefined;
  /** The cheapest plan on sale that includes it. */
  plan?: IncludingPlan | undefined;
  creditPrice?: CreditPrice | undefined;
};

/** A server as visitors see it (spec part 1, section 3). */
export function presentServer(server: CatalogueServer, sold: SoldTerms = {}): ServerAnswer {
  const { manifest } = server;
  const billing = presentBilling(manifest, sold);
  const icon = presentIcon(server);
  const statusDetail = sentences(server.statusDetail, server.leftOut);
  const requires = requiredOfPeople(manifest);
  const toolsUnderReview = hiddenTools(server).waiting.length;
  const tools = servedTools(server);
  const everyClients = toolsOfEveryClient(server);
  const askingTools = tools.length - everyClients.length;
  const prices = tools.map(({ creditCost }) => creditCost).filter((credits) => credits > 0);
  return {
    serverId: server.id,
    serverName: manifest.name,
    status: server.status,
    metadata: {
      category: categories[manifest.category],
      description: manifest.description,
      version: manifest.version,
      author: manifest.author ?? 'Unknown',
      ...(icon && { icon }),
    },
    displayName: manifest.name,
    displayDescription: manifest.description,
    ...(billing && { billing }),
    capabilities: { tools: tools.length, prompts: server.prompts.length, resources: server.resources.length },
    ...(askingTools > 0 && { askingTools }),
    ...(prices.length > 0 && {
      creditsFrom: Math.min(...prices),
      ...(sold.creditPrice && { creditPrice: sold.creditPrice }),
    }),
    ...(statusDetail !== '' && { statusDetail }),
    ...(isDown(server) &&
      server.statusSinceMs !== undefined && { downSince: new Date(server.statusSinceMs).toISOString() }),
    ...(requires && { requires }),
    connectionType: manifest.connection.type,
    estimatedTokens: estimateTokens(everyClients),
    ...(toolsUnderReview > 0 && { toolsUnderReview }),
    lastUpdate: new Date(lastUpdateMs(server)).toISOString(),
  };
}

function sentences(...texts: readonly (string | undefined)[]): string {
  const given = texts.flatMap((each) => (each === undefined || each === '' ? [] : [each]));
  if (given.length < 2) return given[0] ?? '';
  return given.map((each) => (each.endsWith('.') ? each : `${each}.`)).join(' ');
}

function requiredOfPeople({ auth }: Manifest): ServerAnswer['requires'] {
  if (auth.type === 'oauth') return 'sign_in';
  return auth.type === 'headers' && auth.headers.some(({ from }) => from === 'user') ? 'headers' : undefined;
}

/** Presents a manifest's tier and rental, and the plan that includes it. */
export function presentBilling(
  manifest: Manifest,
  { rentalPriceId: stripePriceId, plan }: SoldTerms = {},
): ServerAnswer['billing'] {
  if (!manifest.billing) return undefined;
  const { tier, rental, trialDays } = manifest.billing;
  return {
    tier,
    ...(rental && {
      rental: {
        price: rental.price,
        currency: rental.currency,
        ...(stripePriceId !== undefined && { stripePriceId }),
        name: rental.name ?? `${manifest.name} rental`,
        description: rental.description ?? `Monthly rental of ${manifest.name}`,
      },
    }),
    features: manifest.features,
    ...(trialDays !== undefined && { trialDays }),
    ...(plan && { plan }),
  };
}

/**
 * Returns the path of an icon on our own origin: that of the manifest, or that of the icon fetched from the manifest's
 * address. Browsers never load icons from other hosts, which would learn of each visitor.
 */
function presentIcon({ manifest, icon }: CatalogueServer): string | undefined {
  if (manifest.icon !== undefined && isOwnPath(manifest.icon)) return manifest.icon;
  return icon?.path;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Returns the title for users, or the name if there is none. */
export function toolTitle({ name, definition }: Pick<CatalogueItem, 'name' | 'definition'>): string {
  return (
    text(definition['title']) ??
    text(asRecord(definition['annotations'])?.['title']) ??
    text(definition['name']) ??
    name
  );
}

function presentCapability(item: CatalogueItem): Omit<CapabilityAnswer, 'type'> {
  const name = text(item.definition['name']) ?? item.name;
  const description = text(item.definition['description']) ?? '';
  return {
    serverId: item.serverId,
    name,
    displayName: toolTitle(item),
    description,
    displayDescription: description,
    exposedName: item.exposedName,
    ...(item.flagged && { flagged: true as const }),
    ...(item.textChangedAtMs !== undefined && { textChangedAt: new Date(item.textChangedAtMs).toISOString() }),
  };
}

function presentTool(item: CatalogueItem) {
  const inputSchema = asRecord(item.definition['inputSchema']);
  const annotations = asRecord(item.definition['annotations']);
  const { coming } = item.price;
  return {
    ...presentCapability(item),
    type: 'tool' as const,
    creditCost: item.creditCost,
    ...(coming && {
      comingCost: { credits: coming.credits, from: new Date(coming.sinceMs).toISOString() },
    }),
    ...(inputSchema && { inputSchema }),
    ...(annotations && { annotations }),
    ...(item.asks && { asks: item.asks }),
  };
}

const presentPrompt = (item: CatalogueItem) => ({ ...presentCapability(item), type: 'prompt' as const });

export const presentResource = (item: CatalogueItem) => ({
  ...presentCapability(item),
  type: 'resource' as const,
  uri: item.name,
});

/** Presents the tools, prompts and resources of a server in the order of its lists. */
export function* presentItems(server: CatalogueServer): Generator<CapabilityAnswer> {
  yield* servedTools(server).map(presentTool);
  yield* server.prompts.map(presentPrompt);
  yield* server.resources.map(presentResource);
}

/**
 * Presents the tools of all servers. This and the functions below are generators, because the lists of thousands of
 * servers are megabytes.
 */
export function* presentTools({ servers }: CatalogueSnapshot) {
  for (const server of servers) for (const tool of servedTools(server)) yield presentTool(tool);
}
export function* presentPrompts({ servers }: CatalogueSnapshot) {
  for (const { prompts } of servers) for (const prompt of prompts) yield presentPrompt(prompt);
}
export function* presentResources({ servers }: CatalogueSnapshot) {
  for (const { resources } of servers) for (const resource of resources) yield presentResource(resource);
}
export function* presentServers({ servers }: CatalogueSnapshot, soldTerms: (server: CatalogueServer) => SoldTerms) {
  for (const server of servers) yield presentServer(server, soldTerms(server));
}
export function* presentCapabilities(snapshot: CatalogueSnapshot) {
  yield* presentTools(snapshot);
  yield* presentPrompts(snapshot);
  yield* presentResources(snapshot);
}

/** Longest description in a one-line list. */
const maxBriefCharacters = 160;
function cut(description: string): string {
  if (description.length <= maxBriefCharacters) return description;
  // removes half of a surrogate pair
  return `${description
    .slice(0, maxBriefCharacters)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}

export function presentBrief(server: CatalogueServer) {
  const icon = presentIcon(server);
  return {
    serverId: server.id,
    displayName: server.manifest.name,
    displayDescription: cut(server.manifest.description),
    ...(icon && { icon }),
    status: server.status,
  };
}

export function presentMatches({ servers, tools }: Suggestions) {
  return {
    servers: servers.map(presentBrief),
    tools: tools.map(({ server, tool }) => {
      const { serverId, name, displayName, displayDescription } = presentCapability(tool);
      return {
        serverId,
        serverName: server.manifest.name,
        name,
        displayName,
        displayDescription: cut(displayDescription),
        creditCost: tool.creditCost,
      };
    }),
  };
}
