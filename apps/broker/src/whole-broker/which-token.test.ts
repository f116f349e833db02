import type { Access, Endpoint } from '@souk/contract/endpoint.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

/**
 * "Which token opens what" of the clarifications, written by hand for every call of the product: an endpoint that moves
 * to another row, or a new one, changes this list.
 */
const rows: Record<Access, readonly string[]> = {
  public: [
    'GET /mcp/info',
    'GET /mcp/health',
    'GET /mcp/capabilities',
    'GET /mcp/tools',
    'GET /mcp/prompts',
    'GET /mcp/resources',
    'GET /api/catalogue/servers',
    'GET /api/catalogue/servers/:serverId',
    'GET /api/catalogue/servers/:serverId/record',
    'GET /api/catalogue/servers/:serverId/related',
    'GET /v0.1/servers',
    'GET /v0.1/servers/:serverName/versions',
    'GET /v0.1/servers/:serverName/versions/:version',
    'GET /s/:serverId/mcp/server-card',
    'GET /mcp/server-card',
    'GET /api/catalogue/categories',
    'GET /api/catalogue/suggestions',
    'GET /api/billing/subscription/plans',
    'GET /api/billing/credits/packages',
    'GET /api/legal/:page',
  ],
  refresh: ['POST /mcp/refresh'],
  user: [
    'GET /v2/user/profile',
    'GET /api/users/:userId/mcp-preferences',
    'GET /api/users/:userId/mcp-services',
    'GET /api/users/:userId/server-access/:serverId',
    'GET /api/users/:userId/upstream-connections',
    'GET /api/users/:userId/gateway-preferences',
    'GET /api/users/:userId/connections',
    'GET /api/users/:userId/usage-stats',
    'GET /api/users/:userId/calls',
    'GET /api/users/:userId/calls.csv',
    'GET /api/users/:userId/credit-history',
    'GET /api/users/:userId/credit-history.csv',
    'GET /v2/billing-history/user/:userId/dashboard',
    'GET /v2/billing-history/user/:userId/transactions',
    'GET /v2/billing-history/user/:userId/transactions.csv',
    'GET /api/users/:userId/notices',
    'GET /api/users/:userId/spend-cap',
    'GET /api/billing/subscription',
    'GET /api/billing/mcp/:mcpId/options',
    'GET /api/billing/session/:sessionId',
    'GET /api/billing/open-payment/:id',
    'GET /api/billing/payment-methods',
    'GET /api/users/:userId/program-files',
  ],
  account: [
    'POST /mcp/:serverId/enable',
    'POST /mcp/:serverId/disable',
    'POST /mcp/oauth/callback',
    'PUT /api/users/:userId/mcp-preferences',
    'PUT /api/users/:userId/gateway-preferences',
    'POST /api/users/:userId/upstream-connections/:serverId/sign-in',
    'PUT /api/users/:userId/upstream-connections/:serverId',
    'DELETE /api/users/:userId/upstream-connections/:serverId',
    'DELETE /api/users/:userId/program-files/:serverId',
    'GET /api/users/:userId/export',
    'DELETE /api/users/:userId/account',
    'GET /api/users/:userId/connected-apps',
    'DELETE /api/users/:userId/connected-apps/:id',
    'POST /api/users/:userId/connections/self-test',
    'POST /auth/sign-out-everywhere',
    'POST /api/billing/trials',
    'GET /api/billing/price-rises',
    'POST /api/billing/price-rises/approvals',
    'PUT /api/users/:userId/notices/:kind',
    'PUT /api/users/:userId/spend-cap',
    'POST /api/billing/card',
    'POST /api/billing/checkout',
    'POST /api/billing/credits/purchase',
    'POST /api/billing/cancel-rental/:mcpId',
    'POST /api/billing/rentals/:mcpId/resume',
    'POST /api/billing/cancel-subscription/:id',
    'POST /api/billing/subscriptions/:id/resume',
    'POST /api/billing/subscriptions/:id/change',
    'POST /auth/pat/create',
    'GET /auth/pat/list',
    'DELETE /auth/pat/:id',
    'GET /auth/pat/stats',
    'POST /api/tool-runs',
    'POST /api/tool-runs/:callId/answers',
    'DELETE /api/tool-runs/:callId',
  ],
  admin: [
    'GET /admin/tool-changes',
    'POST /admin/tool-changes/:id/approve',
    'POST /admin/tool-changes/:id/reject',
    'GET /admin/manifests',
    'GET /admin/manifests/:id',
    'POST /admin/manifests',
    'PUT /admin/manifests/:id',
    'DELETE /admin/manifests/:id',
    'POST /admin/manifests/:id/deploy',
    'POST /admin/manifests/:id/undeploy',
    'POST /admin/manifests/reload',
    'POST /admin/manifests/deploy-all',
    'GET /admin/manifests/runs/:id',
    'GET /admin/manifests/runs/:id/events',
    'GET /admin/manifest-runs',
    'GET /admin/staged-manifests',
    'GET /admin/servers/:id/differences',
    'GET /admin/servers/:id/renters',
    'GET /admin/servers/:id/owners',
    'GET /admin/servers/:id/figures',
    'GET /admin/servers/:id/tools',
    'GET /admin/servers/:id/log',
    'GET /admin/servers/:id/sign-in',
    'POST /admin/servers/:id/sign-in/confirm',
    'POST /admin/servers/:id/sign-in/register-again',
    'GET /admin/allowances',
    'POST /admin/allowances/addresses',
    'DELETE /admin/allowances/addresses',
    'POST /admin/allowances/packages/preview',
    'POST /admin/allowances/packages',
    'DELETE /admin/allowances/packages',
    'GET /admin/servers/:id/secrets',
    'PUT /admin/servers/:id/secrets',
    'DELETE /admin/servers/:id/secrets',
    'POST /admin/connection-tests',
    'POST /admin/imports/preview',
    'POST /admin/imports',
    'GET /admin/registries',
    'POST /admin/registries',
    'PUT /admin/registries/:id',
    'DELETE /admin/registries/:id',
    'GET /admin/registries/:id/servers',
    'GET /admin/registry-updates',
    'POST /admin/registry-updates/check',
    'POST /admin/users/:id/deactivate',
    'POST /admin/users/:id/activate',
    'POST /admin/users/:id/erase',
    'GET /admin/users/:id',
    'GET /admin/users/:id/ledger',
    'GET /admin/users/:id/ledger/:entryId/calls',
    'GET /admin/users/:id/payments',
    'GET /admin/users/:id/payments/:paymentId/refund',
    'POST /admin/users/:id/payments/:paymentId/refund',
    'GET /admin/users/:id/calls',
    'GET /admin/users/:id/connections',
    'DELETE /admin/users/:id/apps/:appId',
    'DELETE /admin/users/:id/tokens/:tokenId',
    'GET /admin/users/:id/program-files',
    'GET /admin/users/:id/sign-ins',
    'POST /admin/users/:id/sign-out',
    'POST /admin/users/:id/export',
    'GET /admin/users',
    'GET /admin/dashboard/stats',
    'GET /admin/system',
    'POST /admin/system/checks',
    'GET /admin/audit',
    'GET /admin/audit.csv',
    'GET /admin/audit.jsonl',
    'GET /admin/offers',
    'POST /admin/offers',
    'GET /admin/offers/:id',
    'POST /admin/offers/:id/changes',
    'GET /admin/offers/:id/move',
    'POST /admin/offers/:id/move',
    'GET /admin/overview/needs',
    'GET /admin/overview/figures',
    'GET /admin/billing/users/:userId',
    'PUT /admin/users/:id/credits',
    'POST /admin/users/:id/subscription',
    'DELETE /admin/users/:id/subscription/:subscriptionId',
  ],
};

const kinds = ['web', 'admin', 'client', 'personal', 'adminPersonal', 'none'] as const;
type Kind = (typeof kinds)[number];

let app: TestApp;
const tokens = new Map<Kind, string>();

beforeAll(async () => {
  app = await startTestApp();
  const browser = () => new ScriptedBrowser(app.publicUrl);
  const personal = async (email: string) => (await app.identity.createPersonalToken({ email, name: 'test' })).token;
  tokens.set('web', (await browser().signInWeb({ email: 'bea@souk.test' })).accessToken);
  tokens.set('admin', (await browser().signInWeb({ email: 'admin@souk.test' })).accessToken);
  tokens.set('client', (await browser().signInMcpClient({ email: 'admin@souk.test' })).accessToken);
  tokens.set('personal', await personal('bea@souk.test'));
  tokens.set('adminPersonal', await personal('admin@souk.test'));
});
afterAll(() => app?.stop());

const addressOf = ({ method, path }: Endpoint) => `${method} ${path}`;

/** Makes a call whose path names things that do not exist: past the guard it changes nothing. Returns the response. */
async function ask(address: string, kind: Kind): Promise<Pick<Response, 'status' | 'headers'>> {
  const [method = '', path = ''] = address.split(' ');
  const value = tokens.get(kind);
  const answer = await fetch(app.publicUrl + path.replaceAll(/:(\w+)/g, nothingCalled), {
    method,
    headers: {
      ...(value !== undefined && { authorization: `Bearer ${value}` }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(method !== 'GET' && { body: '{}' }),
  });
  await answer.body?.cancel();
  return answer;
}

const nothingCalled = (_match: string, name: string) =>
  name === 'serverId' ? 'nothing' : '00000000-0000-4000-8000-000000000000';

/** @param kept collects what a cache may keep of the responses */
async function statuses(
  addresses: readonly string[],
  kind: Kind,
  kept: string[] = [],
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const address of addresses) {
    const { status, headers } = await ask(address, kind);
    found[address] = status;
    if (headers.get('cache-control') !== 'no-store') kept.push(`${address}: ${headers.get('cache-control')}`);
  }
  return found;
}

const allOf = (addresses: readonly string[], status: number) =>
  Object.fromEntries(addresses.map((address) => [address, status]));

/** Expected statuses past the guard: there is no server called nothing. */
const openedReads = {
  ...allOf(rows.public, 200),
  'GET /api/catalogue/servers/:serverId': 404,
  'GET /api/legal/:page': 400,
  'GET /api/catalogue/servers/:serverId/record': 404,
  'GET /api/catalogue/servers/:serverId/related': 404,
  'GET /v0.1/servers/:serverName/versions': 404,
  'GET /v0.1/servers/:serverName/versions/:version': 404,
  'GET /s/:serverId/mcp/server-card': 404,
};

describe('what each token opens', () => {
  test('[TOK-1] each call has its row by its exact path: neighbors below one prefix differ', async () => {
    const declared = Object.groupBy(app.router.served, ({ access }) => access);
    const found = Object.entries(declared).map(([access, list]) => [access, (list ?? []).map(addressOf).toSorted()]);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(rows).map(([access, list]) => [access, list.toSorted()])),
    );
    expect(await statuses(['GET /mcp/info', 'POST /mcp/refresh', 'POST /mcp/:serverId/enable'], 'none')).toEqual({
      'GET /mcp/info': 200,
      'POST /mcp/refresh': 200,
      'POST /mcp/:serverId/enable': 401,
    });
    const preferences = ['GET /api/users/:userId/mcp-preferences', 'PUT /api/users/:userId/mcp-preferences'];
    // past the guard another user's path is 404
    expect(await statuses(preferences, 'personal')).toEqual({
      [preferences[0] ?? '']: 404,
      [preferences[1] ?? '']: 401,
    });
    // no other spelling of a path reaches its call, with any kind of token
    for (const kind of kinds) {
      const spellings = ['/MCP/refresh', '/mcp//refresh', '/mcp/refresh/', '/mcp/refresh/x', '/admin//tool-changes'];
      const addresses = spellings.map((path) => `${path.startsWith('/admin') ? 'GET' : 'POST'} ${path}`);
      expect(await statuses(addresses, kind), kind).toEqual(allOf(addresses, 404));
    }
  });

  test('[TOK-7] the public reads answer with a web token', async () => {
    expect(await statuses(rows.public, 'web')).toEqual(openedReads);
  });

  test("[TOK-8] the public reads answer with an MCP client's token", async () => {
    expect(await statuses(rows.public, 'client')).toEqual(openedReads);
  });

  test('[TOK-9] the public reads answer with a personal token', async () => {
    expect(await statuses(rows.public, 'personal')).toEqual(openedReads);
  });

  test('[TOK-10] the public reads answer without a token', async () => {
    expect(await statuses(rows.public, 'none')).toEqual(openedReads);
  });

  test("[TOK-16] switches, preferences and every call of /api and /v2 refuse an MCP client's token, and no cache keeps their responses", async () => {
    const addresses = [...rows.user, ...rows.account];
    expect(await statuses(addresses, 'client')).toEqual(allOf(addresses, 401));
    // the token is what is refused: the same calls succeed with a web token
    const kept: string[] = [];
    expect(Object.values(await statuses([...rows.user, ...rows.refresh], 'web', kept))).not.toContain(401);
    expect(kept).toEqual([]);
  });

  test('[TOK-23] administration accepts the web token of an administrator only, and no cache keeps its answers', async () => {
    const kept: string[] = [];
    // past the guard, a decision without its fields is a bad request
    expect(await statuses(rows.admin, 'admin', kept)).toEqual({
      'POST /admin/imports/preview': 400,
      'POST /admin/imports': 400,
      'GET /admin/registries': 200,
      'POST /admin/registries': 400,
      'PUT /admin/registries/:id': 400,
      'DELETE /admin/registries/:id': 404,
      'GET /admin/registries/:id/servers': 404,
      'GET /admin/registry-updates': 200,
      'POST /admin/registry-updates/check': 200,
      'GET /admin/tool-changes': 200,
      'POST /admin/tool-changes/:id/approve': 400,
      'POST /admin/tool-changes/:id/reject': 400,
      'GET /admin/manifests': 200,
      'GET /admin/manifests/:id': 404,
      'POST /admin/manifests': 400,
      'PUT /admin/manifests/:id': 400,
      'DELETE /admin/manifests/:id': 404,
      'POST /admin/manifests/:id/deploy': 404,
      'POST /admin/manifests/:id/undeploy': 404,
      'POST /admin/manifests/reload': 200,
      'POST /admin/manifests/deploy-all': 200,
      'GET /admin/manifests/runs/:id': 404,
      'GET /admin/manifests/runs/:id/events': 404,
      'GET /admin/manifest-runs': 200,
      'GET /admin/staged-manifests': 200,
      'GET /admin/servers/:id/differences': 404,
      'GET /admin/servers/:id/renters': 200,
      'GET /admin/servers/:id/owners': 200,
      'GET /admin/servers/:id/figures': 404,
      'GET /admin/servers/:id/tools': 404,
      'GET /admin/servers/:id/log': 404,
      'GET /admin/system': 200,
      'POST /admin/system/checks': 503,
      'GET /admin/audit': 200,
      'GET /admin/audit.csv': 200,
      'GET /admin/audit.jsonl': 200,
      'GET /admin/servers/:id/sign-in': 404,
      'POST /admin/servers/:id/sign-in/confirm': 400,
      'POST /admin/servers/:id/sign-in/register-again': 404,
      'GET /admin/allowances': 200,
      'POST /admin/allowances/addresses': 400,
      'DELETE /admin/allowances/addresses': 400,
      'POST /admin/allowances/packages/preview': 400,
      'POST /admin/allowances/packages': 400,
      'DELETE /admin/allowances/packages': 400,
      'GET /admin/servers/:id/secrets': 404,
      'PUT /admin/servers/:id/secrets': 400,
      'DELETE /admin/servers/:id/secrets': 400,
      'POST /admin/connection-tests': 400,
      'POST /admin/users/:id/deactivate': 404,
      'POST /admin/users/:id/activate': 404,
      'POST /admin/users/:id/erase': 400,
      'GET /admin/users/:id': 404,
      'GET /admin/users/:id/ledger': 404,
      'GET /admin/users/:id/ledger/:entryId/calls': 400,
      'GET /admin/users/:id/payments': 404,
      'GET /admin/users/:id/payments/:paymentId/refund': 400,
      'POST /admin/users/:id/payments/:paymentId/refund': 400,
      'GET /admin/users/:id/calls': 404,
      'GET /admin/users/:id/connections': 404,
      'DELETE /admin/users/:id/apps/:appId': 404,
      'DELETE /admin/users/:id/tokens/:tokenId': 404,
      'GET /admin/users/:id/program-files': 404,
      'GET /admin/users/:id/sign-ins': 404,
      'POST /admin/users/:id/sign-out': 404,
      'POST /admin/users/:id/export': 404,
      'GET /admin/users': 200,
      'GET /admin/dashboard/stats': 200,
      'GET /admin/offers': 200,
      'POST /admin/offers': 400,
      'GET /admin/offers/:id': 404,
      'POST /admin/offers/:id/changes': 400,
      'GET /admin/offers/:id/move': 404,
      'POST /admin/offers/:id/move': 400,
      'GET /admin/overview/needs': 200,
      'GET /admin/overview/figures': 200,
      'GET /admin/billing/users/:userId': 404,
      'PUT /admin/users/:id/credits': 400,
      'POST /admin/users/:id/subscription': 400,
      'DELETE /admin/users/:id/subscription/:subscriptionId': 404,
    });
    expect(kept).toEqual([]);
    expect(await statuses(rows.admin, 'web')).toEqual(allOf(rows.admin, 403));
  });

  test("[TOK-24] administration refuses an MCP client's token, an administrator's too", async () => {
    expect(await statuses(rows.admin, 'client')).toEqual(allOf(rows.admin, 401));
  });

  test("[TOK-25] administration refuses a personal token, an administrator's too", async () => {
    expect(await statuses(rows.admin, 'adminPersonal')).toEqual(allOf(rows.admin, 403));
    const some = rows.admin.slice(0, 3);
    expect(await statuses(some, 'personal')).toEqual(allOf(some, 403));
  });

  test('[TOK-26] administration without a token answers 401', async () => {
    expect(await statuses(rows.admin, 'none')).toEqual(allOf(rows.admin, 401));
  });
});
