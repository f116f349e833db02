import { catalogueEndpoints } from '@souk/contract/catalogue.ts';
import { createClient } from '@souk/contract/client.ts';
import { identityEndpoints } from '@souk/contract/identity.ts';
import { usageEndpoints } from '@souk/contract/usage.ts';

/** Where calls get their bearer token: the session puts itself here, so that this file knows no feature. */
export const tokenSource: { current: () => Promise<string | undefined> } = { current: async () => undefined };

/** How calls reach the broker: the session puts its own fetch here, which renews a refused token once. */
export const fetchSource: { current: (url: string, init: RequestInit) => Promise<Response> } = {
  current: (url, init) => fetch(url, init),
};

/** Every call of the broker, typed by the contract. Throws ApiError with a text that can be shown. */
export const api = createClient([...catalogueEndpoints, ...identityEndpoints, ...usageEndpoints] as const, {
  baseUrl: window.location.origin,
  fetch: (url, init) => fetchSource.current(url, init),
  token: () => tokenSource.current(),
});
