import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { listConnections, type ConnectionAttempt } from '@souk/contract/diagnostics.ts';
import { expect } from 'vitest';
import { ScriptedBrowser, challengeOf } from '#testing/people/scripted-browser.ts';
import { ScriptedClientProvider } from '#testing/people/scripted-client-provider.ts';

type Person = Awaited<ReturnType<typeof newPerson>>;

let people = 1;

/** Creates a new user, signed in in a browser that their clients open too. */
export async function newPerson(publicUrl: string) {
  const email = `person-${people++}@souk.test`;
  const browser = new ScriptedBrowser(publicUrl);
  const { accessToken } = await browser.signInWeb({ email });
  const api = (path: string, init: RequestInit = {}) =>
    fetch(publicUrl + path, { ...init, headers: { authorization: `Bearer ${accessToken}`, ...init.headers } });
  const { id }: { id: string } = JSON.parse(await (await api('/v2/user/profile')).text());
  return {
    id,
    email,
    browser,
    api,
    async attempts(): Promise<ConnectionAttempt[]> {
      const answer = await api(`/api/users/${id}/connections`);
      return listConnections.answer.parse(await answer.json()).attempts;
    },
    /** Returns the attempt of this program, or the only one. */
    async attempt(userAgent?: string): Promise<ConnectionAttempt> {
      const attempts = await this.attempts();
      const found = attempts.filter(({ client }) => userAgent === undefined || client.userAgent === userAgent);
      expect(found, userAgent ?? 'all attempts').toHaveLength(1);
      const [attempt] = found;
      if (!attempt) throw new Error('no attempt');
      return attempt;
    },
    async createToken(name: string, body: object = {}): Promise<{ id: string; token: string }> {
      const answer = await api('/auth/pat/create', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, ...body }),
      });
      return JSON.parse(await answer.text());
    },
  };
}

/** Returns `step: status` of every step, in order. */
export const outline = (attempt: ConnectionAttempt) => attempt.steps.map(({ step, status }) => `${step}: ${status}`);

export function stepOf(attempt: ConnectionAttempt, name: string): ConnectionAttempt['steps'][number] {
  const found = attempt.steps.find(({ step }) => step === name);
  if (!found) throw new Error(`no step ${name}`);
  return found;
}

/** Connects the official client, from its first 401 to its tools, or until it has its token. */
export async function connectOfficial(
  person: Person,
  publicUrl: string,
  options: { port: number; documentUrl?: string; until?: 'token' },
): Promise<void> {
  const host = options.documentUrl === undefined ? '127.0.0.1' : 'localhost';
  const redirectUri = `http://${host}:${options.port}/callback`;
  const provider = new ScriptedClientProvider(person.browser, redirectUri, options.documentUrl);
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${publicUrl}/mcp`), {
      authProvider: provider,
      requestInit: { headers: { 'user-agent': 'official/2.4' } },
    });
  await new Client({ name: 'official', version: '1' }).connect(transport()).catch(() => undefined);
  if (!provider.callback) throw new Error('the client did not ask for sign-in');
  await transport().finishAuth(provider.callback.searchParams);
  if (options.until === 'token') return;
  const client = new Client(
    { name: 'official', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transport());
  await client.listTools();
  await client.close();
}

export const redirectUri = 'http://127.0.0.1:53999/callback';
const verifier = 'v'.repeat(43);

export async function register(publicUrl: string, metadata: object, userAgent = 'registering/1'): Promise<string> {
  const answer = await fetch(`${publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent },
    body: JSON.stringify(metadata),
  });
  const body: { client_id: string } = JSON.parse(await answer.text());
  return body.client_id;
}

/** Returns the address to which a client sends the browser. */
export function authorizeUrl(browser: ScriptedBrowser, clientId: string, fields: Record<string, string> = {}): URL {
  return browser.authorizeUrl({
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challengeOf(verifier),
    ...fields,
  });
}

/** Signs in by hand up to the code that the client gets. */
export async function authorize(person: Person, publicUrl: string): Promise<{ clientId: string; code: string }> {
  const clientId = await register(publicUrl, { client_name: 'By hand', redirect_uris: [redirectUri] });
  const callback = await person.browser.signIn(authorizeUrl(person.browser, clientId), { email: person.email });
  return { clientId, code: callback.searchParams.get('code') ?? '' };
}

export function redeem(
  publicUrl: string,
  { clientId, code }: { clientId: string; code: string },
  fields: Record<string, string> = {},
  userAgent = 'redeeming/1',
): Promise<Response> {
  return fetch(`${publicUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'user-agent': userAgent },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...fields,
    }),
  });
}
