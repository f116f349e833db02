import { adminBillingEndpoints } from '@souk/contract/admin/billing.ts';
import { adminManifestRunEndpoints } from '@souk/contract/admin/manifest-runs.ts';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { adminOfferEndpoints } from '@souk/contract/admin/offers.ts';
import { adminPersonEndpoints } from '@souk/contract/admin/person.ts';
import { listServerOwners, listServerRenters } from '@souk/contract/admin/servers.ts';
import { adminUserEndpoints } from '@souk/contract/admin/users.ts';
import { listMcpServices } from '@souk/contract/billing/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import { expect } from 'vitest';
import { startShop } from '#features/billing/shop/checkout/testing/shop.ts';
import { newSubscriber } from '#features/billing/shop/subscriptions/testing/subscriber.ts';
import { deployManifest } from './deploy-manifest.ts';
import { connectModern } from './people/mcp-clients.ts';
import { startHttpFixture } from './servers/mcp-fixture.ts';
import { ScriptedBrowser } from './people/scripted-browser.ts';

export type Administration = Awaited<ReturnType<typeof startAdministration>>;

/**
 * Starts a shop with a server of the highest tier and a tool that costs credits, an administrator with the client
 * `admin`, and users.
 */
export async function startAdministration({ env }: { env?: NodeJS.ProcessEnv } = {}) {
  const fixture = await startHttpFixture('both');
  /** Another server, and one that is down. */
  const other = await startHttpFixture('legacy');
  const gone = await startHttpFixture('both');
  await gone.close();
  const allowAddresses = [fixture, other, gone].map(({ address }) => address);
  const shop = await startShop({ allowAddresses, ...(env && { env }) });
  const connection = { type: 'http', url: fixture.url };
  const rental = { price: 900 };
  await deployManifest(shop, { id: 'top', name: 'Summit', connection, billing: { tier: 'T3', rental } });
  await deployManifest(shop, { id: 'paid', name: 'Paid', connection, billing: { tier: 'T0', toolCosts: { echo: 3 } } });
  const email = 'admin@souk.test';
  const { accessToken } = await new ScriptedBrowser(shop.publicUrl).signInWeb({ email });
  const { token: personalToken } = await shop.identity.createPersonalToken({ email, name: 'test' });
  const [{ id: userId = '' } = {}] = await shop.identity.users.find(email);
  const administrator = { accessToken, userId, personalToken };

  function apiOf(accessToken: string) {
    const endpoints = [
      ...adminManifestEndpoints,
      ...adminManifestRunEndpoints,
      ...adminUserEndpoints,
      ...adminBillingEndpoints,
      ...adminOfferEndpoints,
      ...adminPersonEndpoints,
      listServerOwners,
      listServerRenters,
      listMcpServices,
    ] as const;
    return createClient(endpoints, { baseUrl: shop.publicUrl, fetch, token: async () => accessToken });
  }

  /** Makes a call and returns its response. A text is sent unchanged. */
  async function send(
    address: string,
    bearer: string | undefined,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ) {
    const [method = '', path = ''] = address.split(' ');
    const response = await fetch(`${shop.publicUrl}${path}`, {
      method,
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, ...Object(await response.json()) };
  }

  /**
   * Expects refusals for everyone but an administrator in the web: a visitor, a signed-in user, an administrator's
   * personal token.
   */
  async function expectRefused(calls: readonly (readonly [string, object?])[], bearer: string): Promise<void> {
    for (const [address, body] of calls) {
      const denied = { status: 403, code: 'admin_required', message: 'Access denied. Admin privileges required.' };
      expect(await send(address, bearer, body), address).toMatchObject(denied);
      expect(await send(address, administrator.personalToken, body), address).toMatchObject(denied);
      expect(await send(address, undefined, body), address).toMatchObject({
        status: 401,
        message: 'Authentication required. Please log in.',
      });
    }
  }

  async function newPerson() {
    const person = await newSubscriber(shop);
    const { token } = await shop.identity.createPersonalToken({ email: person.email, name: 'test' });
    const own = apiOf(person.accessToken);
    return {
      ...person,
      token,
      /** Returns how the user has one of their services. */
      service: async (id: string) => {
        const { services } = await own.listMcpServices({ params: { userId: person.userId } });
        return services.find((one) => one.id === id)?.userAccess;
      },
      /** Returns the names of the tools in their link. */
      async tools() {
        const client = await connectModern(`${shop.publicUrl}/mcp`, token);
        try {
          return (await client.listTools()).tools.map(({ name }) => name);
        } finally {
          await client.close();
        }
      },
      async call(name: string) {
        const client = await connectModern(`${shop.publicUrl}/mcp`, token);
        try {
          return await client.callTool({ name, arguments: { text: 'hi' } });
        } finally {
          await client.close();
        }
      },
    };
  }

  async function audits(subject: string) {
    const { rows } = await shop.db.query<{ actor_id: string; action: string; reason: string; details: object }>(
      'select actor_id, action, reason, details from audit_log where subject = $1 order by id',
      [subject],
    );
    return rows;
  }

  /** Builds a manifest that this installation accepts. */
  const manifest = (id: string, change: object = {}) => ({
    id,
    name: id,
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'A server of a test.',
    category: 'data',
    connection: { type: 'http', url: fixture.url },
    ...change,
  });

  return {
    shop,
    manifest,
    fixture,
    other,
    gone,
    administrator,
    admin: apiOf(accessToken),
    send,
    expectRefused,
    newPerson,
    audits,
    async stop() {
      await shop.stop();
      await fixture.close();
      await other.close();
    },
  };
}
