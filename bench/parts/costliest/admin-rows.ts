import { randomUUID } from 'node:crypto';
import { giantId, rentedId } from '../fill-shop.ts';
import { largeManifest, serverId, type Row } from './row.ts';

const packageForm = {
  alias: 'x'.repeat(63),
  package: `${'x'.repeat(99)}@1.0.0`,
  args: Array.from({ length: 32 }, () => 'x'.repeat(512)),
  network: 'public',
};
/** A client's configuration of the largest allowed size. */
const configuration = JSON.stringify({
  mcpServers: Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [
      `server-${index}`,
      { url: 'https://import.example/mcp', headers: { Authorization: 'x'.repeat(5_000) } },
    ]),
  ),
});
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

export const adminRows: Readonly<Record<string, Row>> = {
  'GET /admin/tool-changes': { what: '500 changes' },
  'POST /admin/tool-changes/:id/approve': {
    what: 'unknown',
    path: '/admin/tool-changes/9007199254740991/approve',
    json: { reason: 'r' },
  },
  'POST /admin/tool-changes/:id/reject': {
    what: 'unknown',
    path: '/admin/tool-changes/9007199254740991/reject',
    json: { reason: 'r' },
  },
  'GET /admin/manifests': { what: 'all of them' },
  'GET /admin/manifests/:id': { path: `/admin/manifests/${giantId}` },
  'POST /admin/manifests': {
    what: '250 KB',
    ask: (_, round) => ({ body: largeManifest(`dear-${round}`, `2.0.${round}`) }),
  },
  'PUT /admin/manifests/:id': {
    what: '250 KB',
    path: `/admin/manifests/${serverId}`,
    ask: (_, round) => ({ body: largeManifest(serverId, `2.0.${round}`) }),
  },
  'DELETE /admin/manifests/:id': {
    what: 'with 1,000 refunds',
    ask: (_, round) => ({
      path: `/admin/manifests/server-${12 + 2 * round}`,
      json: { refundRentals: Array.from({ length: 1000 }, () => randomUUID()) },
    }),
  },
  'POST /admin/manifests/:id/deploy': {
    what: 'a server that users rent',
    path: '/admin/manifests/server-10/deploy',
    json: {},
  },
  'POST /admin/manifests/:id/undeploy': {
    what: 'with a reason',
    json: { reason: 'r'.repeat(500) },
    // other servers than the rounds of DELETE
    ask: (_, round) => ({ path: `/admin/manifests/server-${32 + 2 * round}/undeploy` }),
  },
  'POST /admin/manifests/reload': { what: 'every server' },
  'POST /admin/manifests/deploy-all': { what: 'all staged manifests' },
  'GET /admin/manifests/runs/:id': { what: 'unknown' },
  'GET /admin/manifests/runs/:id/events': { what: 'unknown' },
  'GET /admin/manifest-runs': {},
  'GET /admin/staged-manifests': { what: 'all staged manifests' },
  'GET /admin/servers/:id/differences': { path: '/admin/servers/server-10/differences' },
  'GET /admin/servers/:id/renters': { what: '50 of many renters', path: `/admin/servers/${rentedId}/renters` },
  'GET /admin/servers/:id/owners': { path: `/admin/servers/${rentedId}/owners` },
  'GET /admin/servers/:id/figures': { what: 'a month with many calls', path: `/admin/servers/${rentedId}/figures` },
  'GET /admin/servers/:id/tools': { what: '512 large tools', path: `/admin/servers/${giantId}/tools` },
  'GET /admin/servers/:id/log': {},
  'GET /admin/servers/:id/sign-in': { what: 'not needed' },
  'POST /admin/servers/:id/sign-in/confirm': {
    what: 'not needed',
    json: {
      resource: `https://a.example/${'v'.repeat(2000)}`,
      issuer: `https://a.example/${'x'.repeat(2000)}`,
      authorizationEndpoint: `https://a.example/${'w'.repeat(2000)}`,
      tokenEndpoint: `https://a.example/${'y'.repeat(2000)}`,
      origins: [],
    },
  },
  'POST /admin/servers/:id/sign-in/register-again': { what: 'not needed' },
  'GET /admin/allowances': {},
  'POST /admin/allowances/addresses': {
    what: 'the operator allows none',
    json: { entry: `${'x'.repeat(290)}:1`, note: 'x'.repeat(200) },
  },
  'DELETE /admin/allowances/addresses': { what: 'not there', json: { entry: 'x'.repeat(300) } },
  'POST /admin/allowances/packages/preview': { what: 'the operator allows none', json: packageForm },
  'POST /admin/allowances/packages': {
    what: 'the operator allows none',
    json: { form: packageForm, code: 'x'.repeat(64) },
  },
  'DELETE /admin/allowances/packages': { what: 'not there', json: { alias: 'x'.repeat(63) } },
  'GET /admin/servers/:id/secrets': { what: 'none needed' },
  'PUT /admin/servers/:id/secrets': {
    what: 'none needed',
    json: { kind: 'variable', name: 'x'.repeat(128), place: 'x'.repeat(2200), value: 'x'.repeat(6000) },
  },
  'DELETE /admin/servers/:id/secrets': {
    what: 'none stored',
    json: { kind: 'variable', name: 'x'.repeat(128), place: 'x'.repeat(2200) },
  },
  'POST /admin/connection-tests': {
    what: '250 KB, to a server that is down',
    ask: (_, round) => ({ json: { manifest: largeManifest('tested', `2.0.${round}`) } }),
  },
  'GET /admin/offers': { what: 'all offers' },
  'GET /admin/offers/:id': { what: 'subscribers by price', path: '/admin/offers/pro' },
  'POST /admin/offers': {
    what: 'the longest texts',
    json: { offerId: 'costliest', fields: longestPlan, preview: true },
  },
  'POST /admin/offers/:id/changes': {
    what: 'the longest texts',
    path: '/admin/offers/pro/changes',
    json: { change: { type: 'edit', fields: longestPlan }, revision: 1, preview: true },
  },
  'GET /admin/offers/:id/move': { what: 'every subscriber', path: '/admin/offers/pro/move' },
  'POST /admin/offers/:id/move': {
    what: 'an outdated preview',
    path: '/admin/offers/pro/move',
    json: { shown: { movable: 1, amount: 1, monthlyCredits: 0 } },
  },
  'POST /admin/imports/preview': { what: '200 servers, 1 MB', json: { text: configuration } },
  'POST /admin/imports': {
    what: '20 manifests',
    ask: (_, round) => ({
      json: {
        entries: Array.from({ length: 20 }, (_each, index) => ({
          manifest: {
            id: `import-${index}`,
            name: 'Imported',
            serviceType: 'mcp',
            version: `1.0.${round}`,
            connection: { type: 'http', url: 'https://import.example/mcp' },
          },
        })),
      },
    }),
  },
  'GET /admin/registries': {},
  'POST /admin/registries': {
    what: 'one more registry',
    ask: (_, round) => ({ json: { name: 'r'.repeat(80), url: `https://registry-${round}.example` } }),
  },
  'PUT /admin/registries/:id': { what: 'unknown', json: { name: 'r' } },
  'DELETE /admin/registries/:id': { what: 'unknown' },
  'GET /admin/registries/:id/servers': { what: 'unknown: a known one takes as long as its registry' },
  'GET /admin/registry-updates': {},
  'POST /admin/registry-updates/check': { what: 'nothing was imported', json: {} },
  'GET /admin/users/:id': {},
  'GET /admin/users/:id/ledger': { what: '200 among charges for calls', query: { limit: 200, show: 'changes' } },
  'GET /admin/users/:id/ledger/:entryId/calls': {},
  'GET /admin/users/:id/payments': { what: '200 with their refunds', query: { limit: 200 } },
  'GET /admin/users/:id/payments/:paymentId/refund': { what: 'unknown', query: { amountCents: 1 } },
  'POST /admin/users/:id/payments/:paymentId/refund': {
    what: 'unknown',
    json: { amountCents: 1, refundedCents: 0, reason: 'r'.repeat(500) },
  },
  'GET /admin/users/:id/calls': {
    what: '200 with a filter',
    query: { limit: 200, outcome: 'refused', from: '0001-01-01T00:00:00Z' },
  },
  'GET /admin/users/:id/connections': {},
  'DELETE /admin/users/:id/apps/:appId': { what: 'unknown', json: {} },
  'DELETE /admin/users/:id/tokens/:tokenId': { what: 'unknown', json: {} },
  'GET /admin/users/:id/program-files': { what: 'no files' },
  'GET /admin/users/:id/sign-ins': { query: { limit: 200 } },
  'POST /admin/users/:id/sign-out': {
    json: {},
    ask: ({ users }, round) => ({ path: `/admin/users/${users[20 + round]}/sign-out` }),
  },
  'POST /admin/users/:id/export': { what: 'all stored data', json: {} },
  'POST /admin/users/:id/deactivate': {
    json: { endNow: true },
    ask: ({ users }, round) => ({ path: `/admin/users/${users[round]}/deactivate` }),
  },
  'POST /admin/users/:id/activate': {
    json: {},
    ask: ({ users }, round) => ({ path: `/admin/users/${users[round]}/activate` }),
  },
  'POST /admin/users/:id/erase': {
    what: 'not confirmed',
    json: { confirm: 'x'.repeat(320) },
    ask: ({ users }) => ({ path: `/admin/users/${users[0]}/erase` }),
  },
  'GET /admin/users': {
    what: '100 rows of a late page, search for one letter',
    query: { page: 1_000, limit: 100, search: 'a' },
  },
  'GET /admin/system': {},
  'POST /admin/system/checks': { what: 'all of them' },
  'GET /admin/audit': { what: '200 with a filter', query: { limit: 200, group: 'servers', object: 'server-1' } },
  'GET /admin/audit.csv': { what: '100,000 rows' },
  'GET /admin/audit.jsonl': { what: '100,000 rows' },
  'GET /admin/dashboard/stats': {},
  'GET /admin/overview/needs': {},
  'GET /admin/overview/figures': {},
  'GET /admin/billing/users/:userId': {},
  'PUT /admin/users/:id/credits': { ask: (_, round) => ({ json: { credits: 1000 + round } }) },
  'POST /admin/users/:id/subscription': {
    json: { type: 'rental', mcpId: serverId },
    ask: ({ users }, round) => ({ path: `/admin/users/${users[10 + round]}/subscription` }),
  },
  'DELETE /admin/users/:id/subscription/:subscriptionId': { what: 'unknown', json: {} },
};
