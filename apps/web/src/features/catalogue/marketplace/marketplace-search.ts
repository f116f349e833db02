import { maxSearchLength } from '@souk/contract/catalogue/catalogue-search.ts';
import type { ServerStatus } from '@souk/contract/catalogue/catalogue.ts';
import type { categories } from '@souk/contract/manifest/manifest-basics.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';

/**
 * The query of the marketplace's address. Absent fields don't filter, sort by name, and show the first page and the
 * list.
 */
export type MarketplaceSearch = {
  q?: string | undefined;
  type?: ServerType | undefined;
  tier?: Tier | undefined;
  price?: PriceFilter | undefined;
  status?: ServerStatus | undefined;
  sort?: SortOrder | undefined;
  page?: number | undefined;
  view?: 'live' | undefined;
};

/** Short enough for the box next to the filters. */
export const searchPlaceholder = 'Search services and tools';

/** Labels of the manifest's categories. Typed by the contract without loading its schemas into the first page. */
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

/** Orders other than the one by name, which is the specification's and has no parameter. */
export const sortLabels = {
  popular: 'Most used first',
  price: 'Lowest price first',
  tools: 'Most tools first',
  updated: 'Last updated first',
} as const;
export type SortOrder = keyof typeof sortLabels;

/** Parses the address and drops unknown values, so that an old or mistyped link still shows servers. */
export function parseMarketplaceSearch(raw: Record<string, unknown>): MarketplaceSearch {
  const q = textOf(raw['q']).trim().slice(0, maxSearchLength).trim();
  const page = pageOf(raw['page']);
  return {
    ...(q !== '' && { q }),
    ...pick('type', raw['type'], typeLabels),
    ...pick('tier', raw['tier'], tiers),
    ...pick('price', raw['price'], priceLabels),
    ...pick('status', raw['status'], statusLabels),
    ...pick('sort', raw['sort'], sortLabels),
    ...(page !== undefined && { page }),
    ...(raw['view'] === 'live' && { view: 'live' as const }),
  };
}

const maxPage = 100_000;

/** Returns undefined for the first page, which has no parameter. */
function pageOf(value: unknown): number | undefined {
  const page = typeof value === 'number' || typeof value === 'string' ? Number(value) : 1;
  return Number.isInteger(page) && page > 1 && page <= maxPage ? page : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function pick<Name extends string, Options extends object>(name: Name, value: unknown, options: Options) {
  const found = keysOf(options).find((key) => key === value);
  // the computed name is a literal type, which an object literal alone widens to string
  return found === undefined ? {} : ({ [name]: found } as Record<Name, keyof Options>);
}

/** Types Object.keys, which only knows string. The options are closed literals. */
export function keysOf<Options extends object>(options: Options): (keyof Options)[] {
  return Object.keys(options) as (keyof Options)[];
}

export function filterCount({ type, tier, price, status }: MarketplaceSearch): number {
  return [type, tier, price, status].filter((value) => value !== undefined).length;
}

export function isNarrowed(search: MarketplaceSearch): boolean {
  return search.q !== undefined || filterCount(search) > 0;
}

/** Returns the options of a filter. The first one, with the value '', filters nothing. */
export function optionsOf<Value extends string>(first: string, labels: Readonly<Record<Value, string>>) {
  return [{ value: '' as const, label: first }, ...keysOf(labels).map((value) => ({ value, label: labels[value] }))];
}
