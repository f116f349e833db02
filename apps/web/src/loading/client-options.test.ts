import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';

type Api = typeof import('../api.ts');
type Admin = typeof import('../features/admin/admin-api.ts');
type Billing = typeof import('../features/billing/billing-api.ts');
type History = typeof import('../features/billing/history/history-queries.ts');

let shared: Api;
let admin: Admin;
let billing: Billing;
let history: History;
/** Requests that were sent. */
let sent: { url: string; authorization: string | null }[] = [];
let answer = async (): Promise<Response> => new Response('');

beforeAll(async () => {
  vi.stubGlobal('window', { location: { origin: 'https://souk.example' } });
  shared = await import('../api.ts');
  admin = await import('../features/admin/admin-api.ts');
  billing = await import('../features/billing/billing-api.ts');
  history = await import('../features/billing/history/history-queries.ts');
  shared.fetchSource.current = (url, init) => {
    sent.push({ url, authorization: new Headers(init.headers).get('authorization') });
    return answer();
  };
});
afterEach(() => {
  sent = [];
  shared.tokenSource.current = async () => undefined;
});
afterAll(() => vi.unstubAllGlobals());

const changes = () => admin.adminApi.listToolChanges({ query: { status: 'pending' } });

test("[ERR-4] a 403 of a billing call gives 'Access denied. Please check your permissions.'", async () => {
  answer = async () => new Response('<html>', { status: 403 });
  const failure = { status: 403, message: 'Access denied. Please check your permissions.' };
  await expect(billing.billingApi.getSubscription()).rejects.toMatchObject(failure);
  await expect(history.transactionsFile('me')).rejects.toMatchObject(failure);
  await expect(shared.api.getUserProfile()).rejects.toMatchObject({
    message: 'Access denied. Required permissions missing.',
  });
});

test('[ERR-9] an admin call without a token fails before the call', async () => {
  answer = async () => Response.json({ success: true, changes: [] });
  await expect(changes()).rejects.toThrow(/^Authentication required\. Please log in\.$/);
  expect(sent).toEqual([]);
  shared.tokenSource.current = async () => 'a token';
  expect(await changes()).toEqual({ success: true, changes: [] });
  expect(sent).toEqual([
    { url: 'https://souk.example/admin/tool-changes?status=pending', authorization: 'Bearer a token' },
  ]);
});
