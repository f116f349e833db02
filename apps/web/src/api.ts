import { catalogueEndpoints } from '@souk/contract/catalogue.ts';
import { createClient, type ClientOptions } from '@souk/contract/client.ts';
import { identityEndpoints } from '@souk/contract/identity.ts';
import { usageEndpoints } from '@souk/contract/usage.ts';

/** Where calls get their bearer token: the session puts itself here, so that this file knows no feature. */
export const tokenSource: { current: () => Promise<string | undefined> } = { current: async () => undefined };

/** How calls reach the broker: the session puts its own fetch here, which renews a refused token once. */
export const fetchSource: { current: (url: string, init: RequestInit) => Promise<Response> } = {
  current: (url, init) => fetch(url, init),
};

/** How every client of ours calls: with this origin, and the session's token and fetch. */
export const clientOptions: ClientOptions = {
  baseUrl: window.location.origin,
  fetch: (url, init) => fetchSource.current(url, init),
  token: () => tokenSource.current(),
};

/**
 * The calls of the broker that the first screens may need, typed by the contract. Throws ApiError with a text that can be
 * shown. Calls of one lazy screen alone have a client of their own there: their schemas weigh too.
 */
export const api = createClient(
  [...catalogueEndpoints, ...identityEndpoints, ...usageEndpoints] as const,
  clientOptions,
);
