import { catalogueSearchEndpoints } from '@souk/contract/catalogue/catalogue-search.ts';
import { getHealth, refreshServers } from '@souk/contract/catalogue/catalogue.ts';
import { createClient, type ClientOptions } from '@souk/contract/client.ts';
import { identityEndpoints } from '@souk/contract/identity.ts';
import { usageEndpoints } from '@souk/contract/usage.ts';
import { withRetryAfter } from './loading/retry-after-fetch.ts';

/** Returns the bearer token for calls. The session registers itself here, so that this file imports no feature. */
export const tokenSource: { current: () => Promise<string | undefined> } = { current: async () => undefined };

/** Sends the calls. The session registers its own fetch here, which renews a refused token once. */
export const fetchSource: { current: (url: string, init: RequestInit) => Promise<Response> } = {
  current: (url, init) => fetch(url, init),
};

/** Options of every API client: this origin, and the session's token and fetch. */
export const clientOptions: ClientOptions = {
  baseUrl: window.location.origin,
  fetch: withRetryAfter((url, init) => fetchSource.current(url, init)),
  token: () => tokenSource.current(),
};

/**
 * The broker's calls that the first screens need, typed by the contract. They throw ApiError with a text to show. A
 * lazy screen has a client of its own, which keeps its schemas out of the first load.
 */
export const api = createClient(
  [getHealth, refreshServers, ...catalogueSearchEndpoints, ...identityEndpoints, ...usageEndpoints] as const,
  clientOptions,
);
