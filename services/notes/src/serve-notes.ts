import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  verifyBearerToken,
  type AuthInfo,
} from '@modelcontextprotocol/server';
import { createMcpEndpoint } from '@souk/service-kit/mcp-http.ts';
import { refuseForeign, sendRefusal } from '@souk/service-kit/request-gate.ts';
import { notesServers } from './create-server.ts';
import type { NotesParts } from './parts.ts';
import { createTokenVerifier } from './oauth/access-token.ts';
import type { OauthSetup } from './oauth/provider.ts';

const metadataPath = '/.well-known/oauth-protected-resource';
const providerPaths =
  /^\/(\.well-known\/oauth-authorization-server|oauth\/(authorize(\/[\w-]+)?|token|register|revoke|jwks))$/;
const interactionPath = /^\/oauth\/interaction\/[\w-]+$/;

/** Serves MCP at /mcp for requests with a token, and the OAuth server that issues the tokens. */
export function serveNotes(server: Server, parts: NotesParts, setup: OauthSetup): { close(): Promise<void> } {
  const endpoint = createMcpEndpoint(notesServers(parts), setup.clock);
  const verifier = createTokenVerifier(setup.records, setup.clock);
  const metadataUrl = getOAuthProtectedResourceMetadataUrl(new URL(setup.resource));
  const loadOauth = once(async () => {
    // only sign-ins need the OAuth server
    const [{ createProvider }, { serveInteraction }] = await Promise.all([
      import('./oauth/provider.ts'),
      import('./oauth/interaction.ts'),
    ]);
    const provider = createProvider(setup);
    return { provider, callback: provider.callback(), serveInteraction };
  });

  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`request failed: ${error instanceof Error ? error.name : 'unknown'}\n`);
      if (!response.headersSent) sendRefusal(response, { status: 500, message: 'The service could not answer.' });
    });
  });
  return endpoint;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = URL.parse(request.url ?? '', setup.issuer)?.pathname ?? '';
    if (interactionPath.test(path)) {
      // the form has an Origin, which the page's own handler checks
      const { origin: _origin, ...headers } = request.headers;
      const foreign = refuseForeign(headers);
      if (foreign) return sendRefusal(response, foreign);
      const { provider, serveInteraction } = await loadOauth();
      return serveInteraction(provider, setup, parts.newId, request, response);
    }
    const foreign = refuseForeign(request.headers);
    if (foreign) return sendRefusal(response, foreign);
    if (path === '/mcp') return serveMcp(request, response);
    if (path === metadataPath || path === `${metadataPath}/mcp`) return sendJson(response, resourceMetadata(setup));
    if (!providerPaths.test(path)) return sendRefusal(response, { status: 404, message: 'Not found' });
    const { callback } = await loadOauth();
    await callback(forProvider(request, setup.issuer), response);
  }

  async function serveMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let auth: AuthInfo;
    try {
      const expectedResource = new URL(setup.resource);
      auth = await verifyBearerToken(request.headers.authorization, { verifier, expectedResource });
    } catch (error) {
      const challenge = bearerAuthChallengeResponse(error, { resourceMetadataUrl: metadataUrl });
      response.writeHead(challenge.status, Object.fromEntries(challenge.headers)).end(await challenge.text());
      return;
    }
    await endpoint.handle(request, response, { subject: String(auth.extra?.['accountId']) });
  }
}

/** Metadata of RFC 9728. */
function resourceMetadata({ resource, issuer }: OauthSetup): object {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: ['notes'],
    bearer_methods_supported: ['header'],
    resource_name: 'Notes',
  };
}

/**
 * Adapts a request for oidc-provider, which builds addresses from the Host header and remembers the signed-in account. This
 * service has one address, and asks for the account at every sign-in, so that several users can share a browser.
 */
function forProvider(request: IncomingMessage, issuer: string): IncomingMessage {
  request.headers.host = new URL(issuer).host;
  const cookies = (request.headers.cookie ?? '').split(/;\s*/);
  request.headers.cookie = cookies.filter((cookie) => !/^notes_session(\.|=)/.test(cookie)).join('; ');
  return request;
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Runs `make` at the first call; later calls share its result. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
