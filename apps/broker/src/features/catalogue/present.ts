import { isOwnPath } from '@souk/contract/manifest.ts';
import type { CapabilityAnswer, ServerAnswer } from '@souk/contract/catalogue.ts';
import { categories, type Manifest } from '@souk/contract/manifest.ts';
import { asRecord } from '#platform/json.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { lastUpdateMs, type CatalogueItem, type CatalogueServer, type CatalogueSnapshot } from './snapshot.ts';
import type { Suggestions } from './suggest-matches.ts';

/**
 * A server as a visitor sees it (spec part 1, section 3).
 * @param rentalPriceId of the payment provider, where it knows the rental
 */
export function presentServer(server: CatalogueServer, rentalPriceId?: string): ServerAnswer {
  const { manifest } = server;
  const billing = presentBilling(manifest, rentalPriceId);
  const icon = presentIcon(server);
  const statusDetail = sentences(server.statusDetail, server.leftOut);
  const requires = requiredOfPeople(manifest);
  const prices = server.tools.map(({ creditCost }) => creditCost).filter((credits) => credits > 0);
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
    capabilities: { tools: server.tools.length, prompts: server.prompts.length, resources: server.resources.length },
    ...(prices.length > 0 && { creditsFrom: Math.min(...prices) }),
    ...(statusDetail !== '' && { statusDetail }),
    ...(requires && { requires }),
    connectionType: manifest.connection.type,
    estimatedTokens: estimateTokens(server),
    ...(server.toolsUnderReview.length > 0 && { toolsUnderReview: server.toolsUnderReview.length }),
    lastUpdate: new Date(lastUpdateMs(server)).toISOString(),
  };
}

function sentences(...texts: readonly (string | undefined)[]): string {
  const told = texts.filter((each) => each !== undefined && each !== '');
  return told.length < 2 ? (told[0] ?? '') : told.map((each) => (each?.endsWith('.') ? each : `${each}.`)).join(' ');
}

function requiredOfPeople({ auth }: Manifest): ServerAnswer['requires'] {
  if (auth.type === 'oauth') return 'sign_in';
  return auth.type === 'headers' && auth.headers.some(({ from }) => from === 'user') ? 'headers' : undefined;
}

/** The tier of a manifest and what its rental is called. */
export function presentBilling(manifest: Manifest, stripePriceId?: string): ServerAnswer['billing'] {
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
  };
}

/**
 * The address of an icon on our own origin: a path in the manifest, or what was fetched from an address in it. A browser
 * never asks anyone else, who would learn of each visitor.
 */
function presentIcon({ manifest, icon }: CatalogueServer): string | undefined {
  if (manifest.icon !== undefined && isOwnPath(manifest.icon)) return manifest.icon;
  return icon?.path;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The title that people read, or the name where there is none. */
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

export function presentTool(item: CatalogueItem) {
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
  };
}

export const presentPrompt = (item: CatalogueItem) => ({ ...presentCapability(item), type: 'prompt' as const });

export const presentResource = (item: CatalogueItem) => ({
  ...presentCapability(item),
  type: 'resource' as const,
  uri: item.exposedName,
});

export function presentTools(snapshot: CatalogueSnapshot) {
  return snapshot.servers.flatMap((server) => server.tools.map(presentTool));
}
export function presentPrompts(snapshot: CatalogueSnapshot) {
  return snapshot.servers.flatMap((server) => server.prompts.map(presentPrompt));
}
export function presentResources(snapshot: CatalogueSnapshot) {
  return snapshot.servers.flatMap((server) => server.resources.map(presentResource));
}

/** Characters of a description where one line of it is shown. */
const suggestedCharacters = 160;
function cut(description: string): string {
  if (description.length <= suggestedCharacters) return description;
  // a character of two halves loses both
  return `${description
    .slice(0, suggestedCharacters)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}

/** A server where it has one line. */
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
