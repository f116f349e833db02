import { mcpScopes } from '@souk/contract/identity.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Config } from '#platform/config.ts';
import { SoukError } from '#platform/errors.ts';
import { allowEveryOrigin, mountPreflight } from '#platform/http/cors.ts';
import type { Resources } from './resources.ts';

/**
 * Mounts the documents by which clients find us: RFC 8414 and OpenID discovery for the authorization server, RFC 9728
 * for each protected resource. They come from PUBLIC_URL alone, so no header of a request can change them. Clients also
 * probe other spellings (/.well-known/oauth-authorization-server/mcp, …/mcp/.well-known/…). Our issuer has no path, so
 * they get a JSON 404 and try the right one next, as the specifications say.
 */
export function mountMetadataRoutes(
  app: FastifyInstance,
  config: Pick<Config, 'publicUrl' | 'clientDocuments'>,
  resources: Resources,
): void {
  const { publicUrl } = config;
  const serverMetadata = describeAuthorizationServer(publicUrl, config.clientDocuments.advertised);
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    for (const slash of slashes) {
      app.get(`/.well-known/${name}${slash}`, (_request, reply) => sendPublic(reply, serverMetadata));
    }
  }

  const describeResource = (resource: string) => ({
    resource,
    authorization_servers: [publicUrl],
    scopes_supported: mcpScopes,
    bearer_methods_supported: ['header'],
  });
  const wellKnown = '/.well-known/oauth-protected-resource';
  // a link may be pasted with a trailing slash: its document then names it with the slash (RFC 9728, section 3.3)
  for (const slash of slashes) {
    app.get(`${wellKnown}${slash}`, (_request, reply) => sendPublic(reply, describeResource(resources.mcp)));
    app.get(`${wellKnown}/mcp${slash}`, (_request, reply) =>
      sendPublic(reply, describeResource(resources.mcp + slash)),
    );
    app.get<{ Params: { serverId: string } }>(`${wellKnown}/s/:serverId/mcp${slash}`, (request, reply) => {
      const { serverId } = request.params;
      const resource = resources.ofServer(serverId);
      if (!resources.isMcp(resource) || !resources.exists(resource)) {
        allowEveryOrigin(reply);
        throw new SoukError('not_found');
      }
      return sendPublic(reply, describeResource(resource + slash));
    });
  }

  // other probes get JSON, never a page of the web app, which some clients would try to parse
  app.get('/.well-known/*', (_request, reply) => {
    allowEveryOrigin(reply);
    throw new SoukError('not_found');
  });
  mountPreflight(app, '/.well-known/*');
}

const slashes = ['', '/'] as const;

function sendPublic(reply: FastifyReply, document: object) {
  allowEveryOrigin(reply);
  return reply.header('cache-control', 'public, max-age=300').send(document);
}

function describeAuthorizationServer(publicUrl: string, advertisesDocuments: boolean) {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    userinfo_endpoint: `${publicUrl}/oauth/userinfo`,
    jwks_uri: `${publicUrl}/oauth/jwks`,
    // no offline_access and no openid: clients request all scopes listed here, and the user would be asked to consent
    scopes_supported: mcpScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: advertisesDocuments,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    claims_supported: [
      'sub',
      'email',
      'email_verified',
      'name',
      'picture',
      'iss',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
    ],
  };
}
