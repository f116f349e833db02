import {
  getRentalOptions,
  getSubscription,
  listMcpServices,
  listPlans,
  startTrial,
} from '@souk/contract/billing/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import { getUserProfile } from '@souk/contract/identity.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import type { TestApp } from '#testing/start-app.ts';

export const dayMs = 24 * 60 * 60_000;
export const at = (days: number) => new Date(Date.now() + days * dayMs);

export type Person = Awaited<ReturnType<typeof newPerson>>;

let people = 0;

/** Creates a user who owns nothing yet. */
export async function newPerson(app: TestApp) {
  const email = `owner-${(people += 1)}@souk.test`;
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
  const endpoints = [
    getSubscription,
    getRentalOptions,
    listMcpServices,
    startTrial,
    listPlans,
    getUserProfile,
  ] as const;
  const api = createClient(endpoints, { baseUrl: app.publicUrl, fetch, token: async () => accessToken });
  const { id: userId } = await api.getUserProfile();
  const accessTo = async (mcpId: string) => (await api.getRentalOptions({ params: { mcpId } })).access;
  return { app, userId, token, accessToken, api, accessTo };
}

/** Inserts what an administrator gives or a payment buys. Returns the row. */
export async function give(
  { app, userId }: Person,
  kind: 'rental' | 'purchase',
  serverId: string,
  given: Record<string, unknown> = {},
) {
  const row = {
    id: crypto.randomUUID(),
    user_id: userId,
    livemode: false,
    server_id: serverId,
    kind,
    source: 'administrator',
    period: kind === 'rental' ? 'monthly' : null,
    started_at: at(-1),
    period_ends_at: kind === 'rental' ? at(30) : null,
    ...given,
  };
  await insert(app, 'access_grants', row);
  return row;
}

export async function givePlan({ app, userId }: Person, planId: string, given: Record<string, unknown> = {}) {
  const row = {
    id: crypto.randomUUID(),
    user_id: userId,
    livemode: false,
    plan_id: planId,
    source: 'payment',
    started_at: at(-1),
    period_ends_at: at(30),
    ...given,
  };
  await insert(app, 'subscriptions', row);
  return row;
}

async function insert(app: TestApp, table: string, row: Record<string, unknown>) {
  const names = Object.keys(row);
  await app.db.query(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  );
}
