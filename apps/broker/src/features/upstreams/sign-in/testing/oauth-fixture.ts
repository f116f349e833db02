import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, InMemoryServerEventBus, type Tool } from '@modelcontextprotocol/server';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { createFixtureServer, fixtureTools } from '#testing/servers/mcp-fixture.ts';
import { serveSocket } from '#testing/servers/websocket-fixture.ts';

type Json = Record<string, unknown>;
/** Replaces parts of the fixture's honest responses. Each function takes the honest response. */
export type Mischief = {
  resourceMetadata?: (honest: Json) => Json;
  serverMetadata?: (honest: Json) => Json;
  /** Takes over a response: true when it did. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Changes the parameters with which the browser is sent back. */
  redirect?: (back: URLSearchParams) => void;
  tokens?: (honest: Json) => Json;
  /** Refuses a token request, by its form; undefined: it is answered. */
  refuse?: (form: URLSearchParams) => { status: number; body: Json } | undefined;
  tokenDelayMs?: number;
};

export type OAuthFixture = {
  url: string;
  /** Address of the same server over WebSocket. */
  webSocketUrl: string;
  origin: string;
  address: string;
  mischief: Mischief;
  /** Bodies that the token endpoint received. */
  tokenRequests: URLSearchParams[];
  /** Client authentication method of each of them, as an authorization server names the methods. */
  clientAuthentications: string[];
  revoked: string[];
  registrations: Json[];
  /** Authorization headers of MCP requests. */
  seen: string[];
  /** Lists these tools from now on, and announces the change. */
  setTools(tools: readonly Tool[]): void;
  /** Lists these items to users who sign in by this name, and announces the change. */
  setToolsOf(login: string, lists: FixtureLists): void;
  /** Answers requests without a token too from now on, and lists these tools to them. */
  listOpenly(tools: readonly Tool[]): void;
  /** Invalidates every access token, as a restarting server does. */
  forgetAccessTokens(): void;
  forgetRefreshTokens(): void;
  /**
   * Returns the parameters with which a browser is sent back after the authorization address was opened and allowed.
   */
  allow(authUrl: string, login?: string): Promise<URLSearchParams>;
  close(): Promise<void>;
};

type FixtureLists = { tools: readonly Tool[]; prompt?: string; resource?: string; template?: string };

export type OAuthFixtureOptions = {
  expiresInSeconds?: number;
  /** Clients that it knows from the start, with their secrets. */
  clients?: Readonly<Record<string, string>>;
  /** Name under which it is reached; by default the address of this machine. */
  host?: string;
};

/** Starts a small MCP server with its own authorization server, which is honest unless a test changes that. */
export async function startOAuthFixture(options: OAuthFixtureOptions = {}): Promise<OAuthFixture> {
  const expiresIn = options.expiresInSeconds ?? 600;
  const codes = new Map<string, { challenge: string; redirectUri: string; login: string }>();
  /** User names by access token. */
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  const listsOf = new Map<string, FixtureLists>();
  const secrets = new Map(Object.entries(options.clients ?? {}));
  const bus = new InMemoryServerEventBus();
  let offered: readonly Tool[] = fixtureTools;
  let openly: readonly Tool[] | undefined;
  const mcp = createMcpHandler(
    ({ authInfo }) => {
      const login = () => access.get(authInfo?.token ?? '');
      const lists = () => listsOf.get(login() ?? '');
      return createFixtureServer(
        undefined,
        () => (login() === undefined && openly) || (lists()?.tools ?? offered),
        () => lists() ?? {},
      );
    },
    { legacy: 'reject', bus },
  );
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
        const isOpen = authorization === '' && openly !== undefined;
        if (!isOpen && !access.has(authorization.replace('Bearer ', ''))) {
          const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="read"`;
          return void send(response, 401, {}, { 'www-authenticate': challenge });
        }
        const auth = { token: authorization.replace('Bearer ', ''), clientId: '', scopes: [] };
        return handleMcp(
          Object.assign(request, { method: request.method ?? '', url: request.url ?? '', auth }),
          response,
        );
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
      // opened by a browser; the user allows everything
      case '/authorize': {
        const back = await fixture.allow(url.href);
        const location = `${url.searchParams.get('redirect_uri')?.split('?')[0]}?${back.toString()}`;
        return void response.writeHead(302, { location }).end();
      }
      case '/register': {
        const asked: Json = JSON.parse(await text(request));
        fixture.registrations.push(asked);
        const clientId = `client-${randomUUID()}`;
        const method = asked['token_endpoint_auth_method'];
        if (method === 'none') return void send(response, 201, { client_id: clientId });
        secrets.set(clientId, `secret-${randomUUID()}`);
        const secret = { client_secret: secrets.get(clientId), client_secret_expires_at: 0 };
        return void send(response, 201, { client_id: clientId, ...secret, token_endpoint_auth_method: method });
      }
      case '/revoke':
        fixture.revoked.push(new URLSearchParams(await text(request)).get('token') ?? '');
        return void response.writeHead(200).end();
      case '/token':
        return tokens(request, new URLSearchParams(await text(request)), response);
      default:
        return void send(response, 404, {});
    }
  }

  async function tokens(request: IncomingMessage, form: URLSearchParams, response: ServerResponse): Promise<void> {
    fixture.tokenRequests.push(form);
    const client = clientOf(request, form);
    fixture.clientAuthentications.push(client.method);
    const refusal = fixture.mischief.refuse?.(form);
    if (refusal) return void send(response, refusal.status, refusal.body);
    if (client.secret !== secrets.get(client.id)) return void send(response, 401, { error: 'invalid_client' });
    await new Promise((resolve) => setTimeout(resolve, fixture.mischief.tokenDelayMs ?? 0));
    const login = loginOf(form);
    if (login === undefined) return void send(response, 400, { error: 'invalid_grant' });
    const honest = {
      access_token: `access-${randomUUID()}`,
      refresh_token: `refresh-${randomUUID()}`,
      token_type: 'Bearer',
      expires_in: expiresIn,
    };
    access.set(honest.access_token, login);
    refresh.set(honest.refresh_token, login);
    send(response, 200, fixture.mischief.tokens?.(honest) ?? honest);
  }

  /** Returns the user of the grant; undefined if it is invalid. */
  function loginOf(form: URLSearchParams): string | undefined {
    if (form.get('grant_type') === 'refresh_token') {
      const token = form.get('refresh_token') ?? '';
      const login = refresh.get(token);
      refresh.delete(token);
      return login;
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    return code?.challenge === challenge && code.redirectUri === form.get('redirect_uri') ? code.login : undefined;
  }

  const http = createServer((request, response) => {
    void answer(request, response);
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'mcp' });
  http.on('upgrade', (request, socket, head) => {
    const { authorization = '' } = request.headers;
    fixture.seen.push(authorization);
    if (access.has(authorization.replace('Bearer ', ''))) {
      sockets.handleUpgrade(request, socket, head, (open) => serveSocket(open, () => createFixtureServer()));
    } else socket.end('HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n');
  });
  const { port, close } = await listenLocally(http);
  const address = `${options.host ?? '127.0.0.1'}:${port}`;
  origin = `http://${address}`;
  const fixture: OAuthFixture = {
    url: `${origin}/mcp`,
    origin,
    address,
    mischief: {},
    webSocketUrl: `ws://${address}/mcp`,
    tokenRequests: [],
    clientAuthentications: [],
    revoked: [],
    registrations: [],
    seen: [],
    setTools(tools) {
      offered = tools;
      bus.publish({ kind: 'tools_list_changed' });
    },
    setToolsOf(login, lists) {
      listsOf.set(login, lists);
      bus.publish({ kind: 'tools_list_changed' });
    },
    listOpenly(tools) {
      openly = tools;
      bus.publish({ kind: 'tools_list_changed' });
    },
    forgetAccessTokens: () => access.clear(),
    forgetRefreshTokens: () => refresh.clear(),
    async allow(authUrl, login = '') {
      const asked = new URL(authUrl).searchParams;
      const code = `code-${randomUUID()}`;
      codes.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        redirectUri: asked.get('redirect_uri') ?? '',
        login,
      });
      const redirectUri = URL.parse(asked.get('redirect_uri') ?? '');
      const back = new URLSearchParams(redirectUri?.searchParams);
      for (const [name, value] of Object.entries({ code, state: asked.get('state') ?? '', iss: origin }))
        back.set(name, value);
      fixture.mischief.redirect?.(back);
      return back;
    },
    async close() {
      await mcp.close();
      for (const socket of sockets.clients) socket.terminate();
      await close();
    },
  };
  return fixture;
}

/** Reads the client's credentials (RFC 6749 section 2.3.1). */
function clientOf(request: IncomingMessage, form: URLSearchParams): { id: string; secret?: string; method: string } {
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (basic !== undefined) {
    // both parts are form-encoded
    const decoded = new URLSearchParams(Buffer.from(basic, 'base64').toString().replace(':', '='));
    const [[id, secret] = ['', '']] = decoded;
    return { id, secret, method: 'client_secret_basic' };
  }
  const id = form.get('client_id') ?? '';
  const secret = form.get('client_secret');
  return secret === null ? { id, method: 'none' } : { id, secret, method: 'client_secret_post' };
}
