import type { ServerAnswer, ServerStatus } from '@souk/contract/catalogue.ts';
import type { categories } from '@souk/contract/manifest.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';
import { isFree } from '#web/access-text.ts';

/** What stands in the address of the marketplace. An absent field filters nothing; no sort means by name. */
export type MarketplaceSearch = {
  q?: string | undefined;
  type?: ServerType | undefined;
  tier?: Tier | undefined;
  price?: PriceFilter | undefined;
  status?: ServerStatus | undefined;
  sort?: SortOrder | undefined;
};

/** Words of the manifest's category. Typed by the contract without loading its schemas into the first page. */
export const typeLabels: typeof categories = {
  api: 'API Services',
  data: 'Data Sources',
  productivity: 'Productivity',
};
export type ServerType = keyof typeof typeLabels;

export const priceLabels = { free: 'Free', paid: 'Paid' } as const;
export type PriceFilter = keyof typeof priceLabels;

export const statusLabels: Record<ServerStatus, string> = {
  connected: 'Connected',
  disconnected: 'Disconnected',
  error: 'Error',
};

/** Beside the order by name, which is the specification's and needs no word in the address. */
export const sortLabels = {
  price: 'Lowest price first',
  tools: 'Most tools first',
  updated: 'Last updated first',
} as const;
export type SortOrder = keyof typeof sortLabels;

/** Reads the address and drops unknown values, so that an old or mistyped link still shows servers. */
export function parseMarketplaceSearch(raw: Record<string, unknown>): MarketplaceSearch {
  const q = textOf(raw['q']).trim();
  return {
    ...(q !== '' && { q }),
    ...pick('type', raw['type'], typeLabels),
    ...pick('tier', raw['tier'], tiers),
    ...pick('price', raw['price'], priceLabels),
    ...pick('status', raw['status'], statusLabels),
    ...pick('sort', raw['sort'], sortLabels),
  };
}

/** Routers read ?q=2026 as a number and ?q=true as a boolean; a search text is always text. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function pick<Name extends string, Options extends object>(name: Name, value: unknown, options: Options) {
  const found = keysOf(options).find((key) => key === value);
  // The computed name is a literal type; an object literal alone widens it to string.
  return found === undefined ? {} : ({ [name]: found } as Record<Name, keyof Options>);
}

/** Object.keys knows only string; the options here are closed literals. */
export function keysOf<Options extends object>(options: Options): (keyof Options)[] {
  return Object.keys(options) as (keyof Options)[];
}

/** Is the list narrowed by more than its order? */
export function isNarrowed({ sort: _order, ...filters }: MarketplaceSearch): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** The tier of a server; without billing it is T0 (clarifications, Marketplace). */
export const tierOf = ({ billing }: ServerAnswer): Tier => billing?.tier ?? 'T0';

/**
 * The servers that a search leaves, in its order.
 * The text matches name, description or id, case-insensitively; sorted by name unless asked otherwise (spec part 1, section 5).
 */
export function findServers(servers: readonly ServerAnswer[], search: MarketplaceSearch): ServerAnswer[] {
  return servers.filter((server) => matches(server, search)).toSorted(comparators[search.sort ?? 'name']);
}

function matches(server: ServerAnswer, { q, type, tier, price, status }: MarketplaceSearch): boolean {
  return (
    (q === undefined || matchesText(server, q)) &&
    (type === undefined || server.metadata.category === typeLabels[type]) &&
    (tier === undefined || tierOf(server) === tier) &&
    (price === undefined || isFree(server) === (price === 'free')) &&
    (status === undefined || server.status === status)
  );
}

function matchesText(server: ServerAnswer, q: string): boolean {
  const wanted = q.trim().toLowerCase();
  const { displayName, serverName, displayDescription, metadata, serverId } = server;
  const texts = [displayName, serverName, displayDescription, metadata.description, serverId];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

type Compare = (one: ServerAnswer, other: ServerAnswer) => number;

const names = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
const byName: Compare = (one, other) =>
  names.compare(one.displayName, other.displayName) || names.compare(one.serverId, other.serverId);

/** Free first, then by monthly price. Servers that only a plan includes have no price of their own and come last. */
const priceRank = (server: ServerAnswer): number =>
  isFree(server) ? 0 : (server.billing?.rental?.price ?? Number.MAX_SAFE_INTEGER);

const comparators: Record<SortOrder | 'name', Compare> = {
  name: byName,
  price: (one, other) => priceRank(one) - priceRank(other) || byName(one, other),
  tools: (one, other) => other.capabilities.tools - one.capabilities.tools || byName(one, other),
  updated: (one, other) => other.lastUpdate.localeCompare(one.lastUpdate) || byName(one, other),
};
