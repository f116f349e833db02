import { pagePaths } from '@souk/contract/pages.ts';
import { createHash, randomUUID } from 'node:crypto';
import { modernRequest } from '../../apps/broker/src/testing/people/modern-request.ts';
import { giantId, rentedId } from './fill-shop.ts';

export type Ask = {
  path: string;
  /** nobody: without a token. */
  as?: 'person' | 'admin' | 'nobody';
  json?: unknown;
  form?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
};
/** `what` says in a few words why this is the dearest; `ask` makes it for each round anew. */
export type Row = { what: string; ask: (round: number) => Ask };

export type Shop = {
  publicUrl: string;
  personId: string;
  personalToken: string;
  clientId: string;
  /** Users, one for each round of what ends an account. */
  users: readonly string[];
};

const serverId = 'server-4';
const packageForm = {
  alias: 'x'.repeat(63),
  package: `${'x'.repeat(99)}@1.0.0`,
  args: Array.from({ length: 32 }, () => 'x'.repeat(512)),
  network: 'public',
};
const none = '00000000-0000-4000-8000-000000000000';
const everything = { startDate: '0001-01-01', endDate: '9999-12-31' };
const query = (fields: Record<string, string | number>) => {
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)] as const);
  return `?${new URLSearchParams(Object.fromEntries(texts))}`;
};
/** A client's configuration, as large as it may be. */
const configuration = JSON.stringify({
  mcpServers: Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [
      `server-${index}`,
      { url: 'https://import.example/mcp', headers: { Authorization: 'x'.repeat(5_000) } },
    ]),
  ),
});
/** A search of eight words that all fit, and of as many letters as there may be. */
const words = 'e a o i s t n r';

const longestPlan = {
  kind: 'plan',
  name: 'n'.repeat(60),
  description: 'd'.repeat(300),
  features: Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(120, 'f')),
  amount: 1900,
  currency: 'USD',
  monthlyCredits: 1000,
  tier: 'T2',
  popular: true,
};

/**
 * The dearest legal request that we know for each route: the largest page, the widest period, the longest body. A route without a
 * row fails the walk (walk-endpoints.ts).
 */
export function dearestRequests(shop: Shop): Readonly<Record<string, Row>> {
  const own = `/api/users/${shop.personId}`;
  const person = `/admin/users/${shop.personId}`;
  const history = `/v2/billing-history/user/${shop.personId}`;
  const get = (path: string, what: string, as: Ask['as'] = 'person'): Row => ({ what, ask: () => ({ path, as }) });
  const send = (path: string, json: unknown, what: string, as: Ask['as'] = 'person'): Row => ({
    what,
    ask: () => ({ path, json, as }),
  });
  const seen = (path: string, what: string) => get(path, what, 'nobody');
  const byAdmin = (path: string, what: string) => get(path, what, 'admin');
  const manifestOf = (round: number, id: string) => manifest(id, `2.0.${round}`);
  const page = (path: string): Row => ({
    what: 'as a browser opens it',
    ask: () => ({ path, as: 'nobody', headers: { accept: 'text/html' } }),
  });
  const mcp = (path: string): Row => ({
    what: 'tools/list of everything',
    ask: () => {
      const { headers, body } = modernRequest(shop.personalToken, 'tools/list');
      return { path, as: 'nobody', headers, body };
    },
  });
  const file = (path: string): Row => seen(path, 'a file');
  const authorize = query({
    response_type: 'code',
    client_id: shop.clientId,
    redirect_uri: 'http://127.0.0.1:53999/callback',
    code_challenge: createHash('sha256').update('verifier').digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'mcp:tools mcp:prompts mcp:resources',
    state: 's'.repeat(8_000),
  });
  const wrongCode = { grant_type: 'authorization_code', client_id: shop.clientId, code: 'c'.repeat(8_000) };

  return {
    'GET /mcp/info': seen('/mcp/info', ''),
    'GET /mcp/health': seen('/mcp/health', 'every server is counted'),
    'GET /mcp/capabilities': seen('/mcp/capabilities', 'the whole catalog'),
    'GET /mcp/tools': seen('/mcp/tools', 'every tool'),
    'GET /mcp/prompts': seen('/mcp/prompts', 'every prompt'),
    'GET /mcp/resources': seen('/mcp/resources', 'every resource'),
    'POST /mcp/refresh': send('/mcp/refresh', undefined, 'every server is asked'),
    'GET /api/catalogue/servers': seen(
      `/api/catalogue/servers${query({ q: words, sort: 'featured', page: 99_999, pageSize: 100 })}`,
      'eight words, 100 of the last page',
    ),
    'GET /api/catalogue/servers/:serverId': seen(`/api/catalogue/servers/${giantId}`, 'a server with 512 large tools'),
    'GET /api/catalogue/servers/:serverId/record': seen(`/api/catalogue/servers/${serverId}/record`, ''),
    'GET /api/catalogue/servers/:serverId/related': seen(`/api/catalogue/servers/${serverId}/related`, ''),
    'GET /v0.1/servers': seen(
      `/v0.1/servers${query({ limit: 100, search: 'bench', include_deleted: 'true' })}`,
      '100 of a search in everything',
    ),
    'GET /v0.1/servers/:serverName/versions': seen(
      `/v0.1/servers/${encodeURIComponent(`localhost/${serverId}`)}/versions${query({ include_deleted: 'true' })}`,
      '',
    ),
    'GET /v0.1/servers/:serverName/versions/:version': seen(
      `/v0.1/servers/${encodeURIComponent(`localhost/${serverId}`)}/versions/latest`,
      '',
    ),
    'GET /s/:serverId/mcp/server-card': seen(`/s/${giantId}/mcp/server-card`, ''),
    'GET /mcp/server-card': seen('/mcp/server-card', ''),
    'GET /api/catalogue/categories': seen('/api/catalogue/categories', ''),
    'GET /api/catalogue/suggestions': seen(
      `/api/catalogue/suggestions${query({ q: words, limit: 20 })}`,
      'eight words that all tools have',
    ),
    'GET /api/legal/:page': seen('/api/legal/privacy', 'the longest of the demo'),
    'GET /api/billing/subscription/plans': seen('/api/billing/subscription/plans', ''),
    'GET /api/billing/credits/packages': seen('/api/billing/credits/packages', ''),
    'GET /v2/user/profile': get('/v2/user/profile', '200 servers switched off'),
    [`GET /api/users/:userId/mcp-preferences`]: get(`${own}/mcp-preferences`, '200 servers switched off'),
    'GET /api/users/:userId/mcp-services': get(`${own}/mcp-services`, 'every deployed service'),
    'GET /api/users/:userId/server-access/:serverId': get(`${own}/server-access/${serverId}`, ''),
    'GET /api/users/:userId/upstream-connections': get(`${own}/upstream-connections`, ''),
    'GET /api/users/:userId/gateway-preferences': get(`${own}/gateway-preferences`, 'every tool is counted'),
    'GET /api/users/:userId/connections': get(`${own}/connections`, ''),
    'GET /api/users/:userId/usage-stats': get(`${own}/usage-stats?days=366`, 'a year'),
    'GET /api/users/:userId/calls': get(
      `${own}/calls${query({ limit: 200, outcome: 'refused', from: '0001-01-01T00:00:00Z' })}`,
      '200 with a filter',
    ),
    'GET /api/users/:userId/calls.csv': get(`${own}/calls.csv`, '10,000 rows'),
    'GET /api/users/:userId/credit-history': get(
      `${own}/credit-history${query({ ...everything, limit: 1000, page: 10 })}`,
      '1,000 of a late page',
    ),
    'GET /api/users/:userId/credit-history.csv': get(`${own}/credit-history.csv`, '10,000 rows'),
    'GET /v2/billing-history/user/:userId/dashboard': get(`${history}/dashboard`, 'every payment is added up'),
    'GET /v2/billing-history/user/:userId/transactions': get(
      `${history}/transactions${query({ ...everything, pageSize: 100, page: 100 })}`,
      '100 of a late page',
    ),
    'GET /v2/billing-history/user/:userId/transactions.csv': get(`${history}/transactions.csv`, '10,000 rows'),
    'GET /api/users/:userId/notices': get(`${own}/notices`, ''),
    'GET /api/users/:userId/spend-cap': get(`${own}/spend-cap`, ''),
    'GET /api/billing/subscription': get('/api/billing/subscription', ''),
    'GET /api/billing/mcp/:mcpId/options': get(`/api/billing/mcp/${serverId}/options`, ''),
    'GET /api/billing/session/:sessionId': get(`/api/billing/session/${'s'.repeat(90)}`, 'unknown'),
    'GET /api/billing/payment-methods': get('/api/billing/payment-methods', 'who pays nothing'),
    'GET /api/billing/open-payment/:id': get(`/api/billing/open-payment/${none}`, 'unknown'),
    'POST /mcp/:serverId/enable': send(`/mcp/${serverId}/enable`, undefined, ''),
    'POST /mcp/:serverId/disable': send(`/mcp/${serverId}/disable`, undefined, ''),
    'POST /mcp/oauth/callback': send('/mcp/oauth/callback', { state: 's'.repeat(200), code: 'c'.repeat(4096) }, ''),
    'PUT /api/users/:userId/mcp-preferences': send(
      `${own}/mcp-preferences`,
      { disabledServers: Array.from({ length: 2000 }, (_, n) => `server-${n + 1}`) },
      '2,000 servers',
    ),
    'PUT /api/users/:userId/gateway-preferences': send(
      `${own}/gateway-preferences`,
      { compactMode: true, tokens: Object.fromEntries(Array.from({ length: 200 }, () => [randomUUID(), true])) },
      '200 exceptions',
    ),
    'POST /api/users/:userId/upstream-connections/:serverId/sign-in': send(
      `${own}/upstream-connections/${serverId}/sign-in`,
      undefined,
      'it needs none',
    ),
    'PUT /api/users/:userId/upstream-connections/:serverId': send(
      `${own}/upstream-connections/${serverId}`,
      { headers: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`x-${n}`, 'v'.repeat(4000)])) },
      '240 KB of headers',
    ),
    'DELETE /api/users/:userId/upstream-connections/:serverId': get(`${own}/upstream-connections/${serverId}`, ''),
    'GET /api/users/:userId/export': get(`${own}/export`, 'everything that is stored'),
    'DELETE /api/users/:userId/account': send(`${own}/account`, { confirm: 'x'.repeat(320) }, 'not confirmed'),
    'GET /api/users/:userId/connected-apps': get(`${own}/connected-apps`, ''),
    'DELETE /api/users/:userId/connected-apps/:id': get(`${own}/connected-apps/${none}`, 'unknown'),
    'POST /api/users/:userId/connections/self-test': send(
      `${own}/connections/self-test`,
      { browserTimeMs: 0 },
      'every step of a client',
    ),
    'POST /auth/sign-out-everywhere': {
      what: 'without a token',
      ask: () => ({ path: '/auth/sign-out-everywhere', as: 'nobody' }),
    },
    'POST /api/billing/trials': send('/api/billing/trials', { mcpId: serverId }, 'no trial'),
    'GET /api/billing/price-rises': get('/api/billing/price-rises', 'every tool of a month'),
    'POST /api/billing/price-rises/approvals': send(
      '/api/billing/price-rises/approvals',
      { prices: Array.from({ length: 500 }, (_, n) => ({ serverId, tool: `tool_${n}`, credits: 1 })) },
      '500 prices',
    ),
    'PUT /api/users/:userId/notices/:kind': send(`${own}/notices/credits_low`, { isOn: false }, ''),
    'PUT /api/users/:userId/spend-cap': send(`${own}/spend-cap`, { monthlyCap: 1_000_000 }, ''),
    'POST /api/billing/card': send('/api/billing/card', undefined, 'who pays nothing'),
    'POST /api/billing/checkout': send('/api/billing/checkout', { type: 'credit', planId: 'credits-1000' }, ''),
    'POST /api/billing/credits/purchase': send('/api/billing/credits/purchase', { stripePriceId: 'p'.repeat(255) }, ''),
    'POST /api/billing/cancel-rental/:mcpId': send(`/api/billing/cancel-rental/${serverId}`, undefined, 'not rented'),
    'POST /api/billing/rentals/:mcpId/resume': send(`/api/billing/rentals/${serverId}/resume`, undefined, 'not rented'),
    'POST /api/billing/cancel-subscription/:id': send(`/api/billing/cancel-subscription/${none}`, undefined, 'unknown'),
    'POST /api/billing/subscriptions/:id/resume': send(
      `/api/billing/subscriptions/${none}/resume`,
      undefined,
      'unknown',
    ),
    'POST /api/billing/subscriptions/:id/change': send(
      `/api/billing/subscriptions/${none}/change`,
      { planId: 'pro', preview: true },
      'unknown',
    ),
    'POST /auth/pat/create': {
      what: '',
      ask: (round) => ({ path: '/auth/pat/create', json: { name: `token ${round}` }, as: 'person' }),
    },
    'GET /auth/pat/list': get('/auth/pat/list', ''),
    'DELETE /auth/pat/:id': get(`/auth/pat/${none}`, 'unknown'),
    'GET /auth/pat/stats': get('/auth/pat/stats', ''),
    'POST /api/tool-runs': send(
      '/api/tool-runs',
      { serverId, tool: 'tool_1', arguments: { query: 'x'.repeat(200_000) } },
      '200 KB to a server that is down',
    ),
    'POST /api/tool-runs/:callId/answers': send(
      `/api/tool-runs/${none}/answers`,
      {
        id: 'q',
        action: 'accept',
        content: Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`f${n}`, 'x'.repeat(90)])),
      },
      '200 KB of a form, unknown run',
    ),
    'DELETE /api/tool-runs/:callId': get(`/api/tool-runs/${none}`, 'unknown'),
    'GET /api/users/:userId/program-files': get(`${own}/program-files`, 'no files'),
    'DELETE /api/users/:userId/program-files/:serverId': get(`${own}/program-files/${serverId}`, 'no files'),
    'GET /admin/tool-changes': byAdmin('/admin/tool-changes', '500 changes'),
    'POST /admin/tool-changes/:id/approve': send(
      '/admin/tool-changes/9007199254740991/approve',
      { reason: 'r' },
      'unknown',
      'admin',
    ),
    'POST /admin/tool-changes/:id/reject': send(
      '/admin/tool-changes/9007199254740991/reject',
      { reason: 'r' },
      'unknown',
      'admin',
    ),
    'GET /admin/manifests': byAdmin('/admin/manifests', 'all of them'),
    'GET /admin/manifests/:id': byAdmin(`/admin/manifests/${giantId}`, ''),
    'POST /admin/manifests': {
      what: '250 KB',
      ask: (round) => ({ path: '/admin/manifests', body: manifestOf(round, `dear-${round}`), as: 'admin' }),
    },
    'PUT /admin/manifests/:id': {
      what: '250 KB',
      ask: (round) => ({ path: `/admin/manifests/${serverId}`, body: manifestOf(round, serverId), as: 'admin' }),
    },
    'DELETE /admin/manifests/:id': {
      what: '1,000 refunds asked for',
      ask: (round) => ({
        path: `/admin/manifests/server-${12 + 2 * round}`,
        json: { refundRentals: Array.from({ length: 1000 }, () => randomUUID()) },
        as: 'admin',
      }),
    },
    'POST /admin/manifests/:id/deploy': send('/admin/manifests/server-10/deploy', {}, 'one that others rent', 'admin'),
    'POST /admin/manifests/:id/undeploy': {
      what: 'with a reason',
      // not those that the rounds of DELETE take
      ask: (round) => ({
        path: `/admin/manifests/server-${32 + 2 * round}/undeploy`,
        json: { reason: 'r'.repeat(500) },
        as: 'admin',
      }),
    },
    'POST /admin/manifests/reload': send('/admin/manifests/reload', undefined, 'every server', 'admin'),
    'POST /admin/manifests/deploy-all': send(
      '/admin/manifests/deploy-all',
      undefined,
      'everything that is staged',
      'admin',
    ),
    'GET /admin/manifests/runs/:id': byAdmin(`/admin/manifests/runs/${none}`, 'unknown'),
    'GET /admin/manifests/runs/:id/events': byAdmin(`/admin/manifests/runs/${none}/events`, 'unknown'),
    'GET /admin/manifest-runs': byAdmin('/admin/manifest-runs', ''),
    'GET /admin/staged-manifests': byAdmin('/admin/staged-manifests', 'everything that is staged'),
    'GET /admin/servers/:id/differences': byAdmin('/admin/servers/server-10/differences', ''),
    'GET /admin/servers/:id/renters': byAdmin(`/admin/servers/${rentedId}/renters`, '50 of many'),
    'GET /admin/servers/:id/owners': byAdmin(`/admin/servers/${rentedId}/owners`, ''),
    'GET /admin/servers/:id/figures': byAdmin(`/admin/servers/${rentedId}/figures`, 'a month of many'),
    'GET /admin/servers/:id/tools': byAdmin(`/admin/servers/${giantId}/tools`, '512 large tools'),
    'GET /admin/servers/:id/log': byAdmin(`/admin/servers/${serverId}/log`, ''),
    'GET /admin/servers/:id/sign-in': byAdmin(`/admin/servers/${serverId}/sign-in`, 'it needs none'),
    'POST /admin/servers/:id/sign-in/confirm': send(
      `/admin/servers/${serverId}/sign-in/confirm`,
      {
        resource: `https://a.example/${'v'.repeat(2000)}`,
        issuer: `https://a.example/${'x'.repeat(2000)}`,
        authorizationEndpoint: `https://a.example/${'w'.repeat(2000)}`,
        tokenEndpoint: `https://a.example/${'y'.repeat(2000)}`,
        origins: [],
      },
      'it needs none',
      'admin',
    ),
    'POST /admin/servers/:id/sign-in/register-again': send(
      `/admin/servers/${serverId}/sign-in/register-again`,
      undefined,
      'it needs none',
      'admin',
    ),
    'GET /admin/allowances': byAdmin('/admin/allowances', ''),
    'POST /admin/allowances/addresses': send(
      '/admin/allowances/addresses',
      { entry: `${'x'.repeat(290)}:1`, note: 'x'.repeat(200) },
      'the operator allows none',
      'admin',
    ),
    'DELETE /admin/allowances/addresses': send(
      '/admin/allowances/addresses',
      { entry: 'x'.repeat(300) },
      'it is not there',
      'admin',
    ),
    'POST /admin/allowances/packages/preview': send(
      '/admin/allowances/packages/preview',
      packageForm,
      'the operator allows none',
      'admin',
    ),
    'POST /admin/allowances/packages': send(
      '/admin/allowances/packages',
      { form: packageForm, code: 'x'.repeat(64) },
      'the operator allows none',
      'admin',
    ),
    'DELETE /admin/allowances/packages': send(
      '/admin/allowances/packages',
      { alias: 'x'.repeat(63) },
      'it is not there',
      'admin',
    ),
    'GET /admin/servers/:id/secrets': byAdmin(`/admin/servers/${serverId}/secrets`, 'it needs none'),
    'PUT /admin/servers/:id/secrets': send(
      `/admin/servers/${serverId}/secrets`,
      { kind: 'variable', name: 'x'.repeat(128), place: 'x'.repeat(2200), value: 'x'.repeat(6000) },
      'it needs none',
      'admin',
    ),
    'DELETE /admin/servers/:id/secrets': send(
      `/admin/servers/${serverId}/secrets`,
      { kind: 'variable', name: 'x'.repeat(128), place: 'x'.repeat(2200) },
      'it has none',
      'admin',
    ),
    'POST /admin/connection-tests': {
      what: '250 KB, to a server that is down',
      ask: (round) => ({
        path: '/admin/connection-tests',
        json: { manifest: manifestOf(round, 'tested') },
        as: 'admin',
      }),
    },
    'GET /admin/offers': byAdmin('/admin/offers', 'everything that is sold'),
    'GET /admin/offers/:id': byAdmin('/admin/offers/pro', 'who pays what for it'),
    'POST /admin/offers': send(
      '/admin/offers',
      { offerId: 'dearest', fields: longestPlan, preview: true },
      'the longest',
      'admin',
    ),
    'POST /admin/offers/:id/changes': send(
      '/admin/offers/pro/changes',
      { change: { type: 'edit', fields: longestPlan }, revision: 1, preview: true },
      'the longest',
      'admin',
    ),
    'GET /admin/offers/:id/move': byAdmin('/admin/offers/pro/move', 'every subscriber'),
    'POST /admin/offers/:id/move': send(
      '/admin/offers/pro/move',
      { shown: { movable: 1, amount: 1, monthlyCredits: 0 } },
      'not what is there',
      'admin',
    ),
    'POST /admin/imports/preview': send(
      '/admin/imports/preview',
      { text: configuration },
      '200 servers, 1 MB',
      'admin',
    ),
    'POST /admin/imports': {
      what: '20 manifests',
      ask: (round) => ({
        path: '/admin/imports',
        json: {
          entries: Array.from({ length: 20 }, (_, index) => ({
            manifest: {
              id: `import-${index}`,
              name: 'Imported',
              serviceType: 'mcp',
              version: `1.0.${round}`,
              connection: { type: 'http', url: 'https://import.example/mcp' },
            },
          })),
        },
        as: 'admin',
      }),
    },
    'GET /admin/registries': byAdmin('/admin/registries', ''),
    'POST /admin/registries': {
      what: 'one more',
      ask: (round) => ({
        path: '/admin/registries',
        json: { name: 'r'.repeat(80), url: `https://registry-${round}.example` },
        as: 'admin',
      }),
    },
    'PUT /admin/registries/:id': send(`/admin/registries/${none}`, { name: 'r' }, 'not here', 'admin'),
    'DELETE /admin/registries/:id': {
      what: 'not here',
      ask: () => ({ path: `/admin/registries/${none}`, as: 'admin' }),
    },
    'GET /admin/registries/:id/servers': byAdmin(
      `/admin/registries/${none}/servers`,
      'not here: another takes as long as its registry',
    ),
    'GET /admin/registry-updates': byAdmin('/admin/registry-updates', ''),
    'POST /admin/registry-updates/check': send('/admin/registry-updates/check', {}, 'nothing was imported', 'admin'),
    'GET /admin/users/:id': byAdmin(person, ''),
    'GET /admin/users/:id/ledger': byAdmin(`${person}/ledger?limit=200&show=changes`, '200 among what calls cost'),
    'GET /admin/users/:id/ledger/:entryId/calls': byAdmin(`${person}/ledger/1/calls`, ''),
    'GET /admin/users/:id/payments': byAdmin(`${person}/payments?limit=200`, '200 with their refunds'),
    'GET /admin/users/:id/payments/:paymentId/refund': byAdmin(
      `${person}/payments/${none}/refund?amountCents=1`,
      'unknown',
    ),
    'POST /admin/users/:id/payments/:paymentId/refund': send(
      `${person}/payments/${none}/refund`,
      { amountCents: 1, refundedCents: 0, reason: 'r'.repeat(500) },
      'unknown',
      'admin',
    ),
    'GET /admin/users/:id/calls': byAdmin(
      `${person}/calls${query({ limit: 200, outcome: 'refused', from: '0001-01-01T00:00:00Z' })}`,
      '200 with a filter',
    ),
    'GET /admin/users/:id/connections': byAdmin(`${person}/connections`, ''),
    'DELETE /admin/users/:id/apps/:appId': send(`${person}/apps/${'a'.repeat(200)}`, {}, 'unknown', 'admin'),
    'DELETE /admin/users/:id/tokens/:tokenId': send(`${person}/tokens/${none}`, {}, 'unknown', 'admin'),
    'GET /admin/users/:id/program-files': byAdmin(`${person}/program-files`, 'no files'),
    'GET /admin/users/:id/sign-ins': byAdmin(`${person}/sign-ins?limit=200`, ''),
    'POST /admin/users/:id/sign-out': {
      what: '',
      ask: (round) => ({ path: `/admin/users/${shop.users[20 + round]}/sign-out`, json: {}, as: 'admin' }),
    },
    'POST /admin/users/:id/export': send(`${person}/export`, {}, 'everything that is kept of a person', 'admin'),
    'POST /admin/users/:id/deactivate': {
      what: '',
      ask: (round) => ({ path: `/admin/users/${shop.users[round]}/deactivate`, json: { endNow: true }, as: 'admin' }),
    },
    'POST /admin/users/:id/activate': {
      what: '',
      ask: (round) => ({ path: `/admin/users/${shop.users[round]}/activate`, json: {}, as: 'admin' }),
    },
    'POST /admin/users/:id/erase': send(
      `/admin/users/${shop.users[0]}/erase`,
      { confirm: 'x'.repeat(320) },
      'not confirmed',
      'admin',
    ),
    'GET /admin/users': byAdmin(
      `/admin/users${query({ page: 1_000, limit: 100, search: 'a' })}`,
      '100 of a late page, one letter',
    ),
    'GET /admin/system': byAdmin('/admin/system', ''),
    'POST /admin/system/checks': send('/admin/system/checks', undefined, 'all of them', 'admin'),
    'GET /admin/audit': byAdmin(
      `/admin/audit${query({ limit: 200, group: 'servers', object: 'server-1' })}`,
      '200 of a filter',
    ),
    'GET /admin/audit.csv': byAdmin('/admin/audit.csv', '100,000 rows'),
    'GET /admin/audit.jsonl': byAdmin('/admin/audit.jsonl', '100,000 rows'),
    'GET /admin/dashboard/stats': byAdmin('/admin/dashboard/stats', ''),
    'GET /admin/overview/needs': byAdmin('/admin/overview/needs', ''),
    'GET /admin/overview/figures': byAdmin('/admin/overview/figures', ''),
    'GET /admin/billing/users/:userId': byAdmin(`/admin/billing/users/${shop.personId}`, ''),
    'PUT /admin/users/:id/credits': {
      what: '',
      ask: (round) => ({ path: `/admin/users/${shop.personId}/credits`, json: { credits: 1000 + round }, as: 'admin' }),
    },
    'POST /admin/users/:id/subscription': {
      what: '',
      ask: (round) => ({
        path: `/admin/users/${shop.users[10 + round]}/subscription`,
        json: { type: 'rental', mcpId: serverId },
        as: 'admin',
      }),
    },
    'DELETE /admin/users/:id/subscription/:subscriptionId': send(
      `/admin/users/${shop.personId}/subscription/${none}`,
      {},
      'unknown',
      'admin',
    ),

    'GET /healthz': file('/healthz'),
    'GET /readyz': file('/readyz'),
    'GET /oauth/mark.svg': file('/oauth/mark.svg'),
    'GET /oauth/pages.css': file('/oauth/pages.css'),
    'GET /oauth/pages.woff2': file('/oauth/pages.woff2'),
    'GET /oauth/pages-mono.woff2': file('/oauth/pages-mono.woff2'),
    'GET /oauth/theme.js': file('/oauth/theme.js'),
    'GET /favicon.ico': file('/favicon.ico'),
    'GET /share.png': file('/share.png'),
    'GET /robots.txt': file('/robots.txt'),
    'GET /openapi.json': file('/openapi.json'),
    'GET /docs/api': file('/docs/api'),
    'GET /docs/manifests': file('/docs/manifests'),
    'GET /sign-in/window': page('/sign-in/window'),
    'GET /sitemap.xml': seen('/sitemap.xml', 'every server'),
    'GET /icons/:file': file('/icons/unknown.svg'),
    'GET /*': page('/nowhere'),
    'POST /*': { what: 'unknown', ask: () => ({ path: '/nowhere', json: {}, as: 'nobody' }) },
    'POST /oauth/token': {
      what: 'a code of 8 KB that is none',
      ask: () => ({ path: '/oauth/token', form: wrongCode, as: 'nobody' }),
    },
    'GET /oauth/authorize': seen(`/oauth/authorize${authorize}`, 'a state of 8 KB'),
    'GET /oauth/authorize/:uid': seen('/oauth/authorize/unknown', 'unknown'),
    'POST /oauth/logout': { what: '', ask: () => ({ path: '/oauth/logout', form: {}, as: 'nobody' }) },
    'POST /oauth/logout/confirm': { what: '', ask: () => ({ path: '/oauth/logout/confirm', form: {}, as: 'nobody' }) },
    'GET /oauth/jwks': file('/oauth/jwks'),
    'POST /oauth/revoke': {
      what: 'a token of 8 KB that is none',
      ask: () => ({
        path: '/oauth/revoke',
        form: { client_id: shop.clientId, token: 't'.repeat(8_000) },
        as: 'nobody',
      }),
    },
    'POST /oauth/register': {
      what: '15 KB of addresses',
      ask: (round) => ({
        path: '/oauth/register',
        json: {
          client_name: `Client ${round}`,
          redirect_uris: Array.from({ length: 10 }, (_, n) => `https://app.example/${n}/${'x'.repeat(1_400)}`),
        },
        as: 'nobody',
      }),
    },
    'GET /oauth/userinfo': get('/oauth/userinfo', ''),
    'GET /oauth/interaction/:uid': page('/oauth/interaction/unknown'),
    'POST /oauth/interaction/:uid': {
      what: 'unknown',
      ask: () => ({ path: '/oauth/interaction/unknown', form: { allow: '1' }, as: 'nobody' }),
    },
    'GET /.well-known/oauth-authorization-server': file('/.well-known/oauth-authorization-server'),
    'GET /.well-known/openid-configuration': file('/.well-known/openid-configuration'),
    'GET /.well-known/oauth-protected-resource': file('/.well-known/oauth-protected-resource'),
    'GET /.well-known/oauth-protected-resource/mcp': file('/.well-known/oauth-protected-resource/mcp'),
    'GET /.well-known/oauth-protected-resource/s/:serverId/mcp': file(
      `/.well-known/oauth-protected-resource/s/${serverId}/mcp`,
    ),
    'GET /dev-mail': seen('/dev-mail', ''),
    'GET /unsubscribe': seen(`/unsubscribe${query({ token: 't'.repeat(200) })}`, 'a token that is none'),
    'POST /unsubscribe': {
      what: 'a token that is none',
      ask: () => ({ path: `/unsubscribe${query({ token: 't'.repeat(200) })}`, form: {}, as: 'nobody' }),
    },
    'GET /login': seen(
      `/login${query({ return_to: '/auth/callback', state: 's'.repeat(100), code_challenge: 'a'.repeat(43) })}`,
      '',
    ),
    'GET /auth/:provider': seen('/auth/google?return_to=/auth/success', ''),
    'GET /auth/google/callback': page('/auth/google/callback?code=x&state=y'),
    'POST /auth/email/sign-in': {
      what: 'not offered',
      ask: () => ({ path: '/auth/email/sign-in', json: {}, as: 'nobody' }),
    },
    'POST /auth/email/sign-up': {
      what: 'not offered',
      ask: () => ({ path: '/auth/email/sign-up', json: {}, as: 'nobody' }),
    },
    'GET /dev-google/jwks': file('/dev-google/jwks'),
    'GET /dev-google/choose/:uid': page('/dev-google/choose/unknown'),
    'POST /dev-google/choose/:uid': {
      what: 'unknown',
      ask: () => ({ path: '/dev-google/choose/unknown', form: { email: 'a@b.test' }, as: 'nobody' }),
    },
    'GET /dev-google/auth': page('/dev-google/auth?client_id=unknown'),
    'GET /dev-google/auth/:uid': page('/dev-google/auth/unknown'),
    'GET /dev-google/me': seen('/dev-google/me', 'without a token'),
    'GET /dev-google/.well-known/openid-configuration': file('/dev-google/.well-known/openid-configuration'),
    'POST /dev-google/token': {
      what: 'a code that is none',
      ask: () => ({ path: '/dev-google/token', form: { ...wrongCode, client_id: 'x' }, as: 'nobody' }),
    },
    'POST /api/webhooks/stripe': {
      what: '250 KB with a wrong signature',
      ask: () => ({
        path: '/api/webhooks/stripe',
        json: { padding: 'x'.repeat(250_000) },
        headers: { 'stripe-signature': 't=1,v1=00' },
        as: 'nobody',
      }),
    },
    'POST /mcp': mcp('/mcp'),
    'GET /mcp': seen('/mcp', 'without a token'),
    'DELETE /mcp': seen('/mcp', 'without a token'),
    'POST /s/:serverId/mcp': mcp(`/s/${giantId}/mcp`),
    'GET /s/:serverId/mcp': seen(`/s/${serverId}/mcp`, 'without a token'),
    'DELETE /s/:serverId/mcp': seen(`/s/${serverId}/mcp`, 'without a token'),
    ...Object.fromEntries(pagePaths.filter((path) => !path.includes(':')).map((path) => [`GET ${path}`, page(path)])),
    'GET /service/:serviceId': page(`/service/${giantId}`),
    'GET /connect/:serverId': page(`/connect/${giantId}`),
  };
}

/** About as large as one may be. */
function manifest(id: string, version: string): string {
  const toolCosts = Object.fromEntries(Array.from({ length: 950 }, (_, n) => [`${'t'.repeat(230)}_${n}`, n]));
  return JSON.stringify({
    id,
    name: 'Dear',
    serviceType: 'mcp',
    version,
    description: 'A manifest of 240 KB.',
    connection: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
    billing: { tier: 'T0', toolCosts },
  });
}
