import type { UpstreamAccount } from '@souk/contract/upstreams.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { createElement, type ComponentType } from 'react';
import { renderToString } from 'react-dom/server';
import { beforeAll, expect, test, vi } from 'vitest';

let screens: Awaited<ReturnType<typeof loadScreens>>;
beforeAll(async () => {
  screens = await loadScreens();
});

/** Loads the screens, with an address: the typed client reads it when it is loaded. */
async function loadScreens() {
  vi.stubGlobal('window', { location: { origin: 'https://souk.example' } });
  // as in the other tests of screens: files share what is loaded
  vi.stubGlobal('document', { querySelector: () => ({ getAttribute: () => '{"payments":"sandbox"}' }) });
  const [screen, queries, capabilities] = await Promise.all([
    import('./connect-screen.tsx'),
    import('../upstreams-api.ts'),
    import('../../../loading/server-query.ts'),
  ]);
  vi.unstubAllGlobals();
  return { ...screen, ...queries, ...capabilities };
}

const user = { id: 'u1', email: 'ann@souk.test', displayName: 'Ann' };
const signedIn: UpstreamAccount = {
  serverId: 'travel-pro',
  serverName: 'Travel Pro',
  auth: 'oauth',
  state: 'signed-in',
  enabled: true,
  since: '2026-11-21T03:00:00.000Z',
  lastRefreshedAt: null,
  headers: [],
};

/** Renders the screen of Travel Pro as HTML, once the broker has answered. */
async function render(access: { entitled: boolean; enabled: boolean }, connections: UpstreamAccount[] = []) {
  const queries = new QueryClient();
  const server = { serverId: 'travel-pro', displayName: 'Travel Pro', displayDescription: 'Trips.' };
  // the part of the catalogue's response that the screen reads
  queries.setQueryData<unknown>(screens.serverQuery(server.serverId).queryKey, { server });
  queries.setQueryData(screens.upstreamConnectionsQuery(user.id).queryKey, { success: true, connections });
  queries.setQueryData(screens.serverAccessQuery(user.id, 'travel-pro').queryKey, { success: true, ...access });
  const nothing = async () => {};
  const props = { serverId: 'travel-pro', user, isRestoring: false, onSignIn: nothing, onSwitchAccount: () => {} };
  const routeTree = createRootRoute({ component: () => createElement(screens.ConnectScreen, props) });
  const router = createRouter({ routeTree, history: createMemoryHistory({ initialEntries: ['/'] }) });
  await router.load();
  // this router is not the one that the types know
  const page = createElement(RouterProvider as ComponentType<{ router: unknown }>, { router });
  return renderToString(createElement(QueryClientProvider, { client: queries }, page));
}

test('a service without access says so, has no switch, and leads to its own page', async () => {
  const html = await render({ entitled: false, enabled: false });
  expect(html).toContain('Not in your plan');
  expect(html).toMatch(/<a[^>]*href="\/service\/travel-pro"/);
  expect(html).not.toContain('role="switch"');
  expect(html).not.toContain('No sign-in needed');
  expect(html).not.toContain('your assistants can');
});

test('a service with access shows its switch as it is, and nothing about plans', async () => {
  const on = await render({ entitled: true, enabled: true });
  expect(on).toMatch(/Travel Pro is on\.(<!-- -->)? Go back to your assistant\./);
  expect(on).not.toContain('No sign-in needed');
  expect(on).toContain('aria-checked="true"');
  expect(on).toContain('On: your assistants can use it through your link.');
  expect(on).not.toContain('in your plan');
  const off = await render({ entitled: true, enabled: false });
  expect(off).toContain('No sign-in needed');
  expect(off).toContain('aria-checked="false"');
  expect(off).toContain('Off: your assistants can&#x27;t use it.');
});

test('an account at a service without access can be disconnected, and not renewed', async () => {
  const html = await render({ entitled: false, enabled: false }, [signedIn]);
  expect(html).toContain('Not in your plan');
  expect(html).toContain('Disconnect');
  expect(html).not.toContain('Sign in again');
  const nothingThere = await render({ entitled: false, enabled: false }, [{ ...signedIn, state: 'none', since: null }]);
  expect(nothingThere).not.toContain('Your connection');
});

test('before signing in the user reads where, unless it is the service itself', async () => {
  const none = { ...signedIn, state: 'none', since: null } as const;
  const at = async (signInAt: string | undefined) =>
    render({ entitled: true, enabled: true }, [{ ...none, ...(signInAt !== undefined && { signInAt }) }]);
  expect(await at('id.example.com')).toContain('You&#x27;ll sign in to Travel Pro at id.example.com.');
  expect(await at('Travel Pro')).not.toContain('You&#x27;ll sign in');
  expect(await at(undefined)).not.toContain('You&#x27;ll sign in');
});
