import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

/** A call of section 7: the fields of its body or query, and those of its response (fields of lists after a dot). */
type Call = { takes?: string; answers: string };

/** Sections 7 of both parts with the entities of section 3 that they return, written by hand. */
const calls: Record<string, Call> = {
  'GET /v2/user/profile': { answers: 'id email displayName photoURL provider' },
  'POST /auth/pat/create': { answers: 'success' },
  'GET /auth/pat/list': { answers: 'success' },
  'DELETE /auth/pat/:id': { answers: 'success' },
  'GET /auth/pat/stats': { answers: 'success' },
  'GET /mcp/info': { answers: '' },
  'GET /mcp/health': {
    answers:
      'status timestamp server server.serverCount server.totalCapabilities connections connections.connected serversDown',
  },
  'GET /mcp/capabilities': {
    answers:
      'servers servers.serverId servers.serverName servers.status servers.metadata servers.metadata.category ' +
      'servers.metadata.description servers.metadata.version servers.metadata.author servers.metadata.icon ' +
      'servers.displayName servers.displayDescription servers.billing servers.billing.tier servers.billing.rental ' +
      'servers.billing.rental.price servers.billing.rental.currency servers.billing.rental.stripePriceId ' +
      'servers.billing.rental.name servers.billing.rental.description servers.billing.features servers.capabilities ' +
      'servers.capabilities.tools servers.capabilities.prompts servers.capabilities.resources ' +
      'capabilities capabilities.serverId capabilities.type capabilities.name capabilities.displayName ' +
      'capabilities.description capabilities.displayDescription capabilities.creditCost capabilities.uri lastUpdate',
  },
  'GET /mcp/tools': { answers: 'tools tools.serverId tools.creditCost' },
  'GET /mcp/prompts': { answers: 'prompts' },
  'GET /mcp/resources': { answers: 'resources' },
  'POST /mcp/refresh': { answers: '' },
  'POST /mcp/:serverId/enable': { answers: 'success message requiresOAuth authUrl sessionId provider' },
  'POST /mcp/:serverId/disable': { answers: 'success message' },
  'POST /mcp/oauth/callback': { takes: 'code state', answers: 'success' },
  'GET /api/billing/subscription': {
    answers:
      'success subscription subscription.subscriptions subscription.rentals subscription.purchases ' +
      'subscription.trials subscription.subscriptions.id subscription.subscriptions.planName ' +
      'subscription.subscriptions.mcpId subscription.subscriptions.type subscription.subscriptions.status ' +
      'subscription.subscriptions.currentPeriodEnd subscription.rentals.mcpId subscription.rentals.status ' +
      'subscription.rentals.type subscription.rentals.endDate subscription.purchases.mcpId ' +
      'subscription.purchases.status subscription.purchases.expiresAt subscription.trials.mcpId ' +
      'subscription.trials.status subscription.trials.expiresAt activeTiers credits credits.balance ' +
      'credits.currency summary summary.hasActiveSubscriptions summary.totalSubscriptions summary.totalPurchases ' +
      'summary.totalRentals summary.totalTrials',
  },
  'GET /api/billing/mcp/:mcpId/options': { answers: 'mcpId rental creditsAvailable' },
  'GET /api/billing/credits/packages': {
    answers:
      'packages packages.packageId packages.name packages.credits packages.bonus packages.price packages.currency ' +
      'packages.stripePriceId',
  },
  'GET /api/billing/subscription/plans': {
    answers:
      'plans plans.planId plans.name plans.description plans.amount plans.currency plans.period plans.features ' +
      'plans.priceId plans.active',
  },
  'POST /api/billing/checkout': { takes: 'type mcpId period planId successUrl cancelUrl', answers: 'checkoutUrl' },
  'POST /api/billing/credits/purchase': { takes: 'stripePriceId successUrl cancelUrl', answers: '' },
  'GET /api/users/:userId/mcp-preferences': { answers: 'disabledServers' },
  'PUT /api/users/:userId/mcp-preferences': { takes: 'disabledServers', answers: 'disabledServers' },
  'POST /api/billing/cancel-rental/:mcpId': { answers: '' },
  'POST /api/billing/cancel-subscription/:id': { answers: 'success message' },
  'GET /v2/billing-history/user/:userId/dashboard': {
    answers:
      'success data data.totalSpent data.totalTransactions data.recentTransactions data.recentTransactions.id ' +
      'data.recentTransactions.status data.recentTransactions.type data.recentTransactions.description ' +
      'data.recentTransactions.mcpId data.recentTransactions.amount data.recentTransactions.currency ' +
      'data.recentTransactions.createdAt',
  },
  'GET /v2/billing-history/user/:userId/transactions': {
    takes: 'page pageSize startDate endDate type status',
    answers: '',
  },
  'GET /api/users/:userId/credit-history': {
    takes: 'startDate endDate limit page',
    answers:
      'success data data.usage data.usage.id data.usage.mcpId data.usage.toolName data.usage.amount ' +
      'data.usage.timestamp data.usage.metadata data.usage.metadata.promptTokens data.usage.metadata.responseTokens',
  },
  'GET /api/users/:userId/mcp-services': {
    answers:
      'services services.id services.icon services.name services.description services.billing services.billing.tier ' +
      'services.billing.rental services.billing.rental.price services.billing.rental.currency ' +
      'services.billing.currency services.userAccess services.userAccess.hasAccess services.userAccess.accessType ' +
      'services.userAccess.expiresAt services.userAccess.features',
  },
  'GET /api/users/:userId/usage-stats': {
    takes: 'days',
    answers:
      'data.totalCreditsUsed data.usageByMcp data.usageByMcp.mcpId data.usageByMcp.toolCalls ' +
      'data.usageByMcp.averageCost data.usageByMcp.totalCredits',
  },
  'GET /api/billing/session/:sessionId': {
    answers:
      'success data data.sessionId data.status data.paymentStatus data.amountTotal data.currency data.customerEmail ' +
      'data.metadata data.metadata.type data.metadata.mcpId',
  },
  'GET /admin/manifests': {
    answers:
      'manifests manifests.id manifests.name manifests.serviceType manifests.version manifests.author ' +
      'manifests.description manifests.isActive manifests.connection manifests.connection.type ' +
      'manifests.connection.url manifests.connection.command manifests.capabilities manifests.capabilities.tools ' +
      'manifests.capabilities.prompts manifests.capabilities.resources',
  },
  'GET /admin/manifests/:id': { answers: 'manifest' },
  'POST /admin/manifests': {
    takes:
      'id name serviceType version author description connection connection.type connection.url connection.command',
    answers: 'stripeResult stripeResult.productId',
  },
  'PUT /admin/manifests/:id': {
    takes:
      'id name serviceType version author description connection connection.type connection.url connection.command',
    answers: '',
  },
  'DELETE /admin/manifests/:id': { answers: '' },
  'POST /admin/manifests/:id/deploy': { answers: '' },
  'POST /admin/manifests/reload': { answers: 'reloadedCount errors' },
  'POST /admin/manifests/deploy-all': { answers: 'deployed failed errors' },
  'GET /admin/users': {
    takes: 'page limit',
    answers:
      'users users.id users.email users.username users.displayName users.provider users.oauthConnections ' +
      'users.role users.isActive users.createdAt users.lastLoginAt ' +
      'pagination pagination.page pagination.limit pagination.total pagination.pages',
  },
  'GET /admin/billing/users/:userId': {
    answers:
      'user user.id user.email user.displayName user.createdAt billing billing.subscriptions ' +
      'billing.subscriptions.id billing.subscriptions.mcpId billing.subscriptions.type billing.subscriptions.status ' +
      'billing.subscriptions.currentPeriodStart billing.subscriptions.currentPeriodEnd ' +
      'billing.subscriptions.features billing.purchases billing.rentals billing.rentals.id billing.rentals.mcpId ' +
      'billing.rentals.type billing.rentals.status billing.rentals.startDate billing.rentals.endDate ' +
      'billing.rentals.features billing.trials billing.credits billing.credits.balance billing.credits.currency',
  },
  'GET /admin/dashboard/stats': { answers: '' },
  'PUT /admin/users/:id/credits': { takes: 'credits reason', answers: '' },
  'POST /admin/users/:id/subscription': { takes: 'mcpId type period features reason', answers: '' },
  'DELETE /admin/users/:id/subscription/:subscriptionId': { takes: 'reason', answers: '' },
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

/** Returns the names of all fields of a JSON schema, those of lists and objects in it after a dot. */
function fieldsOf(schema: unknown, before = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.entries(schema.properties ?? {}) : [];
  const named = own.flatMap(([name, value]) => [`${before}${name}`, ...fieldsOf(value, `${before}${name}.`)]);
  const parts = ['items', 'anyOf', 'oneOf', 'allOf'].flatMap((key) => Object(schema)[key] ?? []);
  return [...named, ...parts.flatMap((part: unknown) => fieldsOf(part, before))];
}

const words = (text: string) => text.split(' ').filter((word) => word !== '');

test('[GEN-34] every call of the specification keeps its path, what it takes and what it answers', () => {
  const served = new Map(app.router.served.map((one) => [`${one.method} ${one.path}`, one]));
  const missing = Object.entries(calls).flatMap(([address, { takes = '', answers }]) => {
    const found = served.get(address);
    if (!found) return [address];
    const read = (schema: z.ZodType | undefined, io: 'input' | 'output') =>
      schema ? fieldsOf(z.toJSONSchema(schema, { io, unrepresentable: 'any' })) : [];
    const taken = new Set([...read(found.body, 'input'), ...read(found.query, 'input')]);
    const answered = new Set(read(found.answer, 'output'));
    return [
      ...words(takes).flatMap((field) => (taken.has(field) ? [] : `${address} takes ${field}`)),
      ...words(answers).flatMap((field) => (answered.has(field) ? [] : `${address} answers ${field}`)),
    ];
  });
  expect(missing).toEqual([]);
});

test('the addresses of sign-in are those of the specification', async () => {
  const status = async (path: string, init?: RequestInit) =>
    (await fetch(`${app.publicUrl}${path}`, { redirect: 'manual', ...init })).status;
  expect(await status('/auth/google?return_to=%2Fauth%2Fsuccess')).toBe(303);
  expect(await status('/login?return_to=%2Fauth%2Fcallback')).toBe(303);
  const form = {
    grant_type: 'authorization_code',
    client_id: 'frontend',
    code: 'none',
    redirect_uri: 'x',
    code_verifier: 'x',
  };
  expect(await status('/oauth/token', { method: 'POST', body: new URLSearchParams(form) })).toBe(400);
});
