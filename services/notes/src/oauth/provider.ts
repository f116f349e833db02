import { createHash } from 'node:crypto';
import type { Clock } from '@souk/service-kit/clock.ts';
import { errors, interactionPolicy, Provider, type Configuration } from 'oidc-provider';
import type { Accounts, OauthKeys } from './accounts.ts';
import { createAdapterFactory } from './adapter.ts';
import { problemPage } from './pages.ts';
import type { OauthRecords } from './records.ts';

export const notesScope = 'notes';

const daySeconds = 86_400;

export type OauthSetup = {
  /** Origin of this service. */
  issuer: string;
  /** Address of /mcp, for which tokens are issued (RFC 8707). */
  resource: string;
  records: OauthRecords;
  accounts: Accounts;
  keys: OauthKeys;
  clock: Clock;
};

/**
 * Creates an OAuth 2.1 authorization server with oidc-provider: dynamic registration (RFC 7591), mandatory PKCE with S256,
 * resource indicators (RFC 8707), opaque access tokens for ten minutes, single-use refresh tokens.
 */
export function createProvider(setup: OauthSetup): Provider {
  const provider = new Provider(setup.issuer, configurationOf(setup));
  provider.use(async (context, next) => {
    await next();
    // MCP clients request every scope listed here, and /mcp does not use the OpenID scopes
    if (context.path === '/.well-known/oauth-authorization-server') {
      Object.assign(Object(context.body), { scopes_supported: [notesScope] });
    }
  });
  return provider;
}

function configurationOf({ resource, records, accounts, keys, clock }: OauthSetup): Configuration {
  return {
    adapter: createAdapterFactory(records, clock),
    jwks: { keys: [keys.signingKey] },
    cookies: {
      keys: [keys.cookieKey],
      // all ports of a host share cookies, so the names must not collide with those of other programs
      names: { session: 'notes_session', interaction: 'notes_interaction', resume: 'notes_resume' },
      long: { httpOnly: true, sameSite: 'lax' },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      jwks: '/oauth/jwks',
    },
    interactions: { policy: interactionPolicy.base(), url: (_context, { uid }) => `/oauth/interaction/${uid}` },
    findAccount: (_context, accountId) =>
      accounts.exists(accountId) ? { accountId, claims: () => ({ sub: accountId }) } : undefined,
    // registration accepts only the server's own scopes, and clients register with this one
    scopes: [notesScope],
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['none'],
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    extraClientMetadata: {
      properties: ['redirect_uris'],
      validator: (_context, _name, redirectUris) => requireSafeRedirects(redirectUris),
    },
    clientBasedCORS: () => false,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Interaction: 900,
      Session: 900,
      RefreshToken: 30 * daySeconds,
      Grant: 90 * daySeconds,
      IdToken: 600,
    },
    renderError: (context, { error, error_description: description }) => {
      context.type = 'html';
      context.body = problemPage(`${error}: ${description ?? ''}`);
    },
    features: {
      devInteractions: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: { enabled: true },
      registration: { enabled: true, issueRegistrationAccessToken: false, idFactory: clientIdFor },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo(_context, indicator) {
          if (indicator !== resource) throw new errors.InvalidTarget();
          return { scope: notesScope, audience: resource, accessTokenFormat: 'opaque', accessTokenTTL: 600 };
        },
      },
    },
  };
}

/** Derives the id from the metadata, so that a client that registers at each start leaves one row. */
function clientIdFor(context: { oidc: { body?: object | undefined } }): string {
  const metadata = Object.entries(context.oidc.body ?? {}).sort(([a], [b]) => a.localeCompare(b));
  return `notes_${createHash('sha256').update(JSON.stringify(metadata)).digest('base64url')}`;
}

/** Requires redirects, which carry the code, to use https or to stay on the machine. */
function requireSafeRedirects(redirectUris: unknown): void {
  const uris: unknown[] = Array.isArray(redirectUris) ? redirectUris : [];
  if (uris.length > 10) throw refusedRedirect('at most 10 redirect_uris');
  for (const uri of uris) {
    const url = typeof uri === 'string' ? URL.parse(uri) : null;
    const loopback = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
    if (url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback)) continue;
    throw refusedRedirect('redirect_uris must be https, or http on a loopback address');
  }
}

/** Error of RFC 7591, section 3.2.2; oidc-provider's class of that name is another error. */
function refusedRedirect(description: string): Error {
  return new errors.CustomOIDCProviderError('invalid_redirect_uri', description);
}
