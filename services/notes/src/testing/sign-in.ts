import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';

export const redirectUri = 'http://127.0.0.1:9/callback';

export const tokenSchema = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
  scope: z.string().optional(),
});
export type Tokens = z.infer<typeof tokenSchema>;

/** Registers a client (RFC 7591). Returns its id. */
export async function registerClient(origin: string): Promise<string> {
  const response = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'A <b>test</b>', redirect_uris: [redirectUri] }),
  });
  return z.object({ client_id: z.string() }).parse(await response.json()).client_id;
}

/** Creates an authorization request with PKCE. Returns its address and the data to redeem the code. */
export function authorizationUrl(
  origin: string,
  clientId: string,
  change: Record<string, string> = {},
): { url: string; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL('/oauth/authorize', origin);
  url.search = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'notes',
    state: 'the-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${origin}/mcp`,
    ...change,
  }).toString();
  return { url: url.href, verifier };
}

/** A minimal browser for a sign-in: keeps cookies, follows redirects, sends a form. */
export class ScriptedBrowser {
  readonly #cookies = new Map<string, string>();

  /** Follows redirects until a page or an external address. Returns it. */
  async open(url: string, init: RequestInit = {}): Promise<{ url: URL; page: Response | undefined }> {
    const origin = new URL(url).origin;
    let at = new URL(url);
    let request = init;
    for (;;) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      // oxlint-disable-next-line no-await-in-loop -- each address comes from the previous response
      const page = await fetch(at, { ...request, redirect: 'manual', headers: { ...request.headers, cookie } });
      for (const line of page.headers.getSetCookie()) this.#keep(line);
      const location = page.headers.get('location');
      if (location === null) return { url: at, page };
      at = new URL(location, at);
      if (at.origin !== origin) return { url: at, page: undefined };
      request = {};
    }
  }

  /** Completes the consent page as `name`. Returns the address that the client is redirected to. */
  async consent(authorization: string, form: Record<string, string>): Promise<URL> {
    const { url, page } = await this.open(authorization);
    if (!page?.ok) throw new Error(`no consent page: ${page?.status ?? url.href}`);
    const sent = await this.open(url.href, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { origin: url.origin },
    });
    return sent.url;
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';');
    const [name = '', value = ''] = pair.split('=');
    if (value === '') this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}

export function requestToken(origin: string, form: Record<string, string>): Promise<Response> {
  return fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
}

/** Completes the sign-in of a new client: registers it, consents as `name`, redeems the code. */
export async function signIn(origin: string, name: string): Promise<{ clientId: string; tokens: Tokens }> {
  const clientId = await registerClient(origin);
  const { url, verifier } = authorizationUrl(origin, clientId);
  const callback = await new ScriptedBrowser().consent(url, { name, decision: 'allow' });
  const response = await requestToken(origin, {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code: callback.searchParams.get('code') ?? '',
    code_verifier: verifier,
    resource: `${origin}/mcp`,
  });
  return { clientId, tokens: tokenSchema.parse(await response.json()) };
}
