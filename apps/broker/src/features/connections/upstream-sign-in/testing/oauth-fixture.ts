import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, InMemoryServerEventBus, type Tool } from '@modelcontextprotocol/server';
import { listenLocally } from '#testing/listen-locally.ts';
import { createFixtureServer, fixtureTools } from '#testing/mcp-fixture.ts';

type Json = Record<string, unknown>;
/** What the fixture answers in the place of its honest self. Each takes the honest answer. */
export type Mischief = {
  resourceMetadata?: (honest: Json) => Json;
  serverMetadata?: (honest: Json) => Json;
  /** Takes over an answer: true when it did. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Changes what the browser is sent back with. */
  redirect?: (back: URLSearchParams) => void;
  tokens?: (honest: Json) => Json;
  /** How long the token endpoint thinks about it. */
  tokenDelayMs?: number;
};

export type OAuthFixture = {
  url: string;
  origin: string;
  address: string;
  mischief: Mischief;
  /** Bodies that came to the token endpoint. */
  tokenRequests: URLSearchParams[];
  revoked: string[];
  registrations: Json[];
  /** Authorization headers of MCP requests. */
  seen: string[];
  /** Offers these tools from now on, and says so. */
  offerTools(tools: readonly Tool[]): void;
  /** Makes every access token worthless, as a server does that restarts. */
  forgetAccessTokens(): void;
  forgetRefreshTokens(): void;
  /** Where a browser is sent back to after the authorization address was opened and allowed. */
  allow(authUrl: string): Promise<URLSearchParams>;
  close(): Promise<void>;
};

/** A small MCP server with an authorization server of its own: honest, until it is told otherwise. */
export async function startOAuthFixture(options: { expiresInSeconds?: number } = {}): Promise<OAuthFixture> {
  const expiresIn = options.expiresInSeconds ?? 600;
  const codes = new Map<string, { challenge: string; redirectUri: string }>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  const bus = new InMemoryServerEventBus();
  let offered: readonly Tool[] = fixtureTools;
  const mcp = createMcpHandler(() => createFixtureServer(undefined, () => offered), { legacy: 'reject', bus });
  const handleMcp = toNodeHandler(mcp);
  let origin = '';

  const send = (response: ServerResponse, status: number, body: Json, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (fixture.mischief.intercept?.(request, response)) return;
    const url = new URL(request.url ?? '/', origin);
    switch (url.pathname) {
      case '/mcp': {
        const { authorization = '' } = request.headers;
        fixture.seen.push(authorization);
        if (!access.has(authorization.replace('Bearer ', ''))) {
          const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="read"`;
          return void send(response, 401, {}, { 'www-authenticate': challenge });
        }
        return handleMcp(Object.assign(request, { method: request.method ?? '', url: request.url ?? '' }), response);
      }
      case '/.well-known/oauth-protected-resource/mcp': {
        const honest = { resource: `${origin}/mcp`, authorization_servers: [origin] };
        return void send(response, 200, fixture.mischief.resourceMetadata?.(honest) ?? honest);
      }
      case '/.well-known/oauth-authorization-server': {
        const honest = {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          revocation_endpoint: `${origin}/revoke`,
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
          authorization_response_iss_parameter_supported: true,
        };
        return void send(response, 200, fixture.mischief.serverMetadata?.(honest) ?? honest);
      }
      case '/register':
        fixture.registrations.push(JSON.parse(await text(request)));
        return void send(response, 201, { client_id: `client-${fixture.registrations.length}` });
      case '/revoke':
        fixture.revoked.push(new URLSearchParams(await text(request)).get('token') ?? '');
        return void response.writeHead(200).end();
      case '/token':
        return tokens(new URLSearchParams(await text(request)), response);
      default:
        return void send(response, 404, {});
    }
  }

  async function tokens(form: URLSearchParams, response: ServerResponse): Promise<void> {
    fixture.tokenRequests.push(form);
    await new Promise((resolve) => setTimeout(resolve, fixture.mischief.tokenDelayMs ?? 0)); // as a slow server does
    if (!isGood(form)) return void send(response, 400, { error: 'invalid_grant' });
    const honest = {
      access_token: `access-${randomUUID()}`,
      refresh_token: `refresh-${randomUUID()}`,
      token_type: 'Bearer',
      expires_in: expiresIn,
    };
    access.add(honest.access_token);
    refresh.add(honest.refresh_token);
    send(response, 200, fixture.mischief.tokens?.(honest) ?? honest);
  }

  function isGood(form: URLSearchParams): boolean {
    if (form.get('grant_type') === 'refresh_token') return refresh.delete(form.get('refresh_token') ?? '');
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    return code?.challenge === challenge && code.redirectUri === form.get('redirect_uri');
  }

  const http = createServer((request, response) => {
    void answer(request, response);
  });
  const { port, close } = await listenLocally(http);
  origin = `http://127.0.0.1:${port}`;
  const fixture: OAuthFixture = {
    url: `${origin}/mcp`,
    origin,
    address: `127.0.0.1:${port}`,
    mischief: {},
    tokenRequests: [],
    revoked: [],
    registrations: [],
    seen: [],
    offerTools(tools) {
      offered = tools;
      bus.publish({ kind: 'tools_list_changed' });
    },
    forgetAccessTokens: () => access.clear(),
    forgetRefreshTokens: () => refresh.clear(),
    async allow(authUrl) {
      const asked = new URL(authUrl).searchParams;
      const code = `code-${randomUUID()}`;
      codes.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        redirectUri: asked.get('redirect_uri') ?? '',
      });
      const back = new URLSearchParams({ code, state: asked.get('state') ?? '', iss: origin });
      fixture.mischief.redirect?.(back);
      return back;
    },
    async close() {
      await mcp.close();
      await close();
    },
  };
  return fixture;
}
