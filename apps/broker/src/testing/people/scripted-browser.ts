import { createHash, randomBytes } from 'node:crypto';
import { asRecord } from '#platform/json.ts';

/** Account to choose at the stand-in's page, and whether to allow. */
export type SignInChoice = { email?: string; allow?: boolean; provider?: string };
export type WebTokens = { accessToken: string; refreshToken: string; expiresIn: number };
export type McpClientTokens = { clientId: string; accessToken: string; refreshToken: string; redirectUri: string };

/** A page at which the browser stopped. */
export type LoadedPage = { status: number; url: URL; headers: Headers; text: string };

type Cookie = { value: string; path: string };

/**
 * A scripted user with a browser: keeps cookies (with their paths), follows redirects, picks an account at the
 * stand-in, clicks Allow. It stops where a browser would leave the broker's pages: at a client's redirect address or at
 * a callback of the web app.
 */
export class ScriptedBrowser {
  readonly publicUrl: string;
  /** Method and path of everything that was loaded, for assertions about what was shown. */
  readonly trail: string[] = [];
  readonly #jar = new Map<string, Cookie>();

  constructor(publicUrl: string) {
    this.publicUrl = publicUrl;
  }

  /** Returns the value of a cookie, of any path. */
  cookie(name: string): string | undefined {
    return this.#jar.get(name)?.value;
  }

  setCookie(name: string, value: string, path = '/'): void {
    this.#jar.set(name, { value, path });
  }

  /** Sends one request with this browser's cookies; redirects are not followed. */
  async request(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const target = new URL(url, this.publicUrl);
    const headers = new Headers(init.headers);
    const cookies = [...this.#jar].filter(([, { path }]) => covers(path, target.pathname));
    if (cookies.length > 0) headers.set('cookie', cookies.map(([name, { value }]) => `${name}=${value}`).join('; '));
    this.trail.push(`${init.method ?? 'GET'} ${target.pathname}`);
    const answer = await fetch(target, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) this.#keep(line, target);
    return answer;
  }

  /**
   * Loads a page and follows redirects. Returns the address where it left the broker's pages, or the page at which it
   * stopped.
   */
  async open(url: string | URL, init: RequestInit = {}): Promise<{ left: URL } | { page: LoadedPage }> {
    let target = new URL(url, this.publicUrl);
    let next = init;
    for (let hops = 0; hops < 20; hops++) {
      if (this.#leaves(target)) return { left: target };
      const answer = await this.request(target, next);
      const location = answer.headers.get('location');
      if (location === null || answer.status < 300 || answer.status > 399) {
        return { page: { status: answer.status, url: target, headers: answer.headers, text: await answer.text() } };
      }
      await answer.body?.cancel();
      target = new URL(location, target);
      next = {};
    }
    throw new Error(`redirected endlessly:\n${this.trail.join('\n')}`);
  }

  /** Submits the form of a page, as a click on one of its buttons does. */
  submit(page: LoadedPage, fields: Record<string, string>): ReturnType<ScriptedBrowser['open']> {
    return this.open(page.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.publicUrl },
      body: new URLSearchParams(fields),
    });
  }

  /** Goes through every page from an authorization address to the client's redirect address. */
  async signIn(url: string | URL, choice: SignInChoice = {}): Promise<URL> {
    let step = await this.open(url);
    for (let clicks = 0; clicks < 6; clicks++) {
      if ('left' in step) return step.left;
      step = await this.submit(step.page, fieldsFor(step.page, choice));
    }
    throw new Error(`the sign-in did not end:\n${this.trail.join('\n')}`);
  }

  /** Signs in as the web app does and returns its tokens; the refresh cookie stays in this browser. */
  async signInWeb(choice: SignInChoice = {}): Promise<WebTokens> {
    const { code, verifier } = await this.authorizeWeb(choice);
    const answer = await this.redeemWeb(code, verifier);
    if (!answer.ok) throw new Error(`no tokens: ${answer.status} ${await answer.text()}`);
    return readTokens(await answer.json());
  }

  /** Gets a code as the web app does: /login with return_to, state and code_challenge. */
  async authorizeWeb(choice: SignInChoice = {}): Promise<{ code: string; verifier: string; callback: URL }> {
    const verifier = randomBytes(96).toString('base64url');
    const state = randomBytes(24).toString('base64url');
    const url = new URL('/login', this.publicUrl);
    url.search = new URLSearchParams({
      return_to: `${this.publicUrl}/auth/callback`,
      state,
      code_challenge: challengeOf(verifier),
    }).toString();
    const callback = await this.signIn(url, choice);
    if (callback.searchParams.get('state') !== state) throw new Error(`not our state: ${callback.search}`);
    return { code: callback.searchParams.get('code') ?? '', verifier, callback };
  }

  redeemWeb(code: string, verifier: string): Promise<Response> {
    return this.postForm('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: 'frontend',
      code,
      redirect_uri: `${this.publicUrl}/auth/callback`,
      code_verifier: verifier,
    });
  }

  /** Signs in with a client, as an MCP client of another program does. It registers, unless it has an id. */
  async signInMcpClient(
    choice: SignInChoice & {
      resource?: string;
      redirectUri?: string;
      scope?: string;
      clientName?: string;
      clientId?: string;
    } = {},
  ): Promise<McpClientTokens> {
    const redirectUri = choice.redirectUri ?? 'http://127.0.0.1:53999/callback';
    const clientId = choice.clientId ?? (await this.#register(redirectUri, choice.clientName ?? 'Scripted client'));
    const verifier = randomBytes(48).toString('base64url');
    const callback = await this.signIn(
      this.authorizeUrl({
        client_id: clientId,
        redirect_uri: redirectUri,
        code_challenge: challengeOf(verifier),
        resource: choice.resource ?? `${this.publicUrl}/mcp`,
        ...(choice.scope !== undefined && { scope: choice.scope }),
      }),
      choice,
    );
    const answer = await fetch(new URL('/oauth/token', this.publicUrl), {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        code: callback.searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
    });
    if (!answer.ok) throw new Error(`no tokens: ${answer.status} ${await answer.text()} after ${callback.href}`);
    const tokens = readTokens(await answer.json());
    return { clientId, redirectUri, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken };
  }

  async #register(redirectUri: string, clientName: string): Promise<string> {
    const registered: unknown = await (
      await fetch(new URL('/oauth/register', this.publicUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: clientName, redirect_uris: [redirectUri] }),
      })
    ).json();
    return textField(registered, 'client_id');
  }

  /** Builds an authorization address with the usual fields; `fields` override them. */
  authorizeUrl(fields: Record<string, string>): URL {
    const url = new URL('/oauth/authorize', this.publicUrl);
    url.search = new URLSearchParams({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'mcp:tools mcp:prompts mcp:resources',
      state: 'state-of-the-client',
      ...fields,
    }).toString();
    return url;
  }

  /** Posts a form as a script of our own pages does: with cookies and our Origin. */
  postForm(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    return this.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.publicUrl, ...headers },
      body: new URLSearchParams(fields),
    });
  }

  #leaves(target: URL): boolean {
    if (target.origin !== new URL(this.publicUrl).origin) return true;
    return target.pathname === '/auth/callback' || target.pathname === '/auth/success';
  }

  #keep(line: string, from: URL): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(pair.indexOf('=') + 1);
    const attribute = (key: string) =>
      attributes.find((one) => one.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
    const expires = attribute('expires');
    const gone = attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
    if (gone) this.#jar.delete(name);
    else this.#jar.set(name, { value, path: attribute('path') ?? from.pathname.replace(/\/[^/]*$/, '') });
  }
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Returns the fields that a user would submit on this page. */
function fieldsFor(page: LoadedPage, choice: SignInChoice): Record<string, string> {
  if (page.status !== 200) throw new Error(`stopped at ${page.status} ${page.url.href}: ${page.text}`);
  if (page.text.includes('name="provider"')) return { ...hiddenFields(page), provider: choice.provider ?? 'google' };
  if (page.text.includes('name="allow"')) return { allow: choice.allow === false ? '0' : '1' };
  if (page.text.includes('name="email"')) return { email: choice.email ?? 'bea@souk.test' };
  throw new Error(`nothing to click at ${page.url.href}: ${page.text}`);
}

function hiddenFields({ text }: LoadedPage): Record<string, string> {
  const found = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]));
}

function covers(cookiePath: string, path: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`);
}

function textField(value: unknown, name: string): string {
  const field = asRecord(value)?.[name];
  if (typeof field !== 'string') throw new Error(`no ${name} in ${JSON.stringify(value)}`);
  return field;
}

export function readTokens(value: unknown): WebTokens {
  return {
    accessToken: textField(value, 'accessToken'),
    refreshToken: textField(value, 'refreshToken'),
    expiresIn: Number(asRecord(value)?.['expiresIn']),
  };
}
