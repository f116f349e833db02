import { errors, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { Ids } from '#platform/ids.ts';
import { asRecord } from '#platform/json.ts';
import { allMcpScopes, namesNoScope } from '../authorize-request.ts';
import { publicClientId, readClientMetadata } from '../client-documents/client-metadata.ts';
import { frontendClientId, mayRequest, type Resources } from '../resources.ts';

export const accessTokenSeconds = 600;
export const daySeconds = 86_400;

/** Returns the features of oidc-provider that are on, with our rules for clients and resources. */
export function createProviderFeatures(parts: { resources: Resources; ids: Ids; servesClientDocuments: boolean }) {
  const { resources } = parts;
  return {
    // our keys change while it runs (rotating-key.ts)
    externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    registration: {
      enabled: true,
      issueRegistrationAccessToken: false,
      idFactory: (ctx) => clientIdFor(ctx, parts.ids),
    },
    clientIdMetadataDocument: {
      enabled: parts.servesClientDocuments,
      ack: 'draft-02',
      cacheDuration: { min: 300, max: daySeconds },
      allowFetch: (_ctx, id) => new URL(id).pathname !== '/',
      allowClient: () => true,
    },
    resourceIndicators: {
      enabled: true,
      // some clients name no resource: without a default their token would open nothing
      defaultResource: (_ctx, client, oneOf) =>
        oneOf?.[0] ?? (client.clientId === frontendClientId ? resources.api : resources.mcp),
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource, client) => {
        if (!mayRequest(client, resource, resources)) throw new errors.InvalidTarget('unknown resource');
        if (ctx.oidc.route === 'authorization') {
          // checked at sign-in only: a server that is unreachable for a while must not cost its clients their sign-ins
          if (!resources.exists(resource)) throw new errors.InvalidTarget('there is no such server');
          const scope = ctx.oidc.params?.['scope'];
          if (namesNoScope(scope)) throw new errors.InvalidScope('no known scope was requested', String(scope));
        }
        return {
          scope: allMcpScopes,
          audience: resource,
          accessTokenTTL: accessTokenSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        };
      },
    },
  } satisfies Configuration['features'];
}

function clientIdFor(ctx: KoaContextWithOIDC, ids: Ids): string {
  const read = readClientMetadata(asRecord(ctx.oidc.body) ?? {});
  if ('metadata' in read && read.metadata.token_endpoint_auth_method === 'none') return publicClientId(read.metadata);
  return `client_${ids.secret(24)}`;
}
