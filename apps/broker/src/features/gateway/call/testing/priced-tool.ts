import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import type { TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';

/** Changes the prices of the tool `say` of the server `paid`, with a deployment each. */
export function createPriceTag(app: TestApp, url: string, billing: Record<string, unknown> = { tier: 'T0' }) {
  let versions = 0;
  return {
    /** Deploys a new version. @returns its number */
    async set(credits: number, more: Record<string, unknown> = {}): Promise<string> {
      const version = `1.0.${versions++}`;
      const costs = { ...billing, ...(credits > 0 && { toolCosts: { say: credits } }), ...more };
      await deployManifest(app, { id: 'paid', version, connection: { type: 'http', url }, billing: costs });
      return version;
    },
    /** Deploys an earlier version again. */
    back: (version: string) => app.catalogue.deploy('paid', version),
  };
}

export type Answer = { status: number; code?: string; rises?: Record<string, unknown>[]; coming?: unknown[] };

/** Creates a user with credits and a token for their clients, who signs in to the web app to read its page. */
export async function newPerson(app: TestApp, credits = 10_000) {
  const email = `${randomUUID()}@souk.test`;
  const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
  const userId = await giveCredits(app, email, credits);

  let signedIn: Promise<{ accessToken: string }> | undefined;

  async function api(path: string, body?: object): Promise<Answer> {
    signedIn ??= new ScriptedBrowser(app.publicUrl).signInWeb({ email });
    const { accessToken: session } = await signedIn;
    const response = await fetch(`${app.publicUrl}/api/billing/price-rises${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${session}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: object = JSON.parse(await response.text());
    return { status: response.status, ...answer };
  }

  return {
    token,
    userId,
    async balance() {
      await app.billing.ledger.flush();
      return (await app.billing.ledger.account(userId)).available;
    },
    log: () => usageRows(app, userId),
    /** Returns what the page shows. */
    rises: (query = '') => api(query),
    /** Sends what the button on the page sends. */
    approve: (...credits: number[]) =>
      api('/approvals', { prices: credits.map((each) => ({ serverId: 'paid', tool: 'say', credits: each })) }),
  };
}
export type Priced = Awaited<ReturnType<typeof newPerson>>;

export type Era = 'legacy' | 'modern';
export const eras: readonly Era[] = ['modern', 'legacy'];
export type FormAnswer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean | string> };
export const approval: FormAnswer = { action: 'accept', content: { approve: true } };

/** Connects the official SDK as a client that shows forms. `asked` collects every question, `answer` is the reply. */
export async function connectWithForms(
  url: string,
  token: string,
  era: Era,
  answer: FormAnswer,
  modes: readonly ('form' | 'url')[] = ['form'],
) {
  const asked: Record<string, unknown>[] = [];
  const shown = { asked, answer };
  const client = new Client(
    { name: 'forms', version: '1.0.0' },
    {
      capabilities: { elicitation: Object.fromEntries(modes.map((mode) => [mode, {}])) },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push({ ...params });
    return shown.answer;
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return { client, shown };
}

/** Matches a call result that says that the price rose. */
export const priceRaised = (publicUrl: string, from: number, to: number, name = 'paid__say') => {
  const url = `${publicUrl}/prices?server=paid&tool=say`;
  const credits = to === 1 ? 'credit' : 'credits';
  return {
    isError: true,
    content: [{ type: 'text', text: `The price of ${name} rose from ${from} to ${to} ${credits}. Approve it: ${url}` }],
    _meta: { 'souk/code': 'price_raised', 'souk/old': from, 'souk/new': to, 'souk/url': url },
  };
};
export const ran = (charged: number) => ({ content: [{ text: 'done' }], _meta: { 'souk/charged': charged } });
