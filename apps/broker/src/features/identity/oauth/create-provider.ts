import { Provider, type Client, type ClientMetadata, type Configuration } from 'oidc-provider';
import { pagePolicy } from '#platform/http/answers/page.ts';
import type { IdentityOptions } from '../identity-options.ts';
import { clientAddress } from './hand-over.ts';
import { interactionMinutes, type OpenInteractions } from './open-interactions.ts';
import { accessTokenSeconds, createProviderFeatures, daySeconds } from './provider/provider-features.ts';
import {
  createPolicy,
  loadGrant,
  refreshMaxSeconds,
  refreshSecondsLeft,
  signInTime,
} from './provider/provider-grants.ts';
import { createRecordStore } from './record-store.ts';
import type { RefreshReuse } from './tokens/refresh-reuse.ts';
import { matchesRedirect } from './redirect-uri.ts';
import { frontendClientId, type Resources } from './resources.ts';
import { renderOAuthErrorPage } from '../pages/oauth-error-page.ts';
import type { SigningKeys } from './keys/signing-keys.ts';
import type { UserStore } from '../users/user-store.ts';

type ProviderParts = {
  resources: Resources;
  users: UserStore;
  reuse: RefreshReuse;
  interactions: Pick<OpenInteractions, 'placeOf' | 'recordStored'>;
  keys: Pick<SigningKeys, 'signer' | 'cookieKey'>;
  fetchClientDocument: (address: string | URL) => Promise<Response>;
  onGrantRevoked: (grantId: string) => void;
};

/** Creates the authorization server: oidc-provider under our policy, over the table oauth_records. */
export function createProvider({ db, vault, ids, config }: IdentityOptions, parts: ProviderParts): Provider {
  const { publicUrl, brandName, clientDocuments } = config;
  const { resources, reuse, interactions } = parts;
  const provider = new Provider(publicUrl, {
    adapter: createRecordStore(db, vault, {
      reuse,
      interactions: {
        recordStored: interactions.recordStored,
        currentPlace: () => Provider.ctx && interactions.placeOf(clientAddress(Provider.ctx.req)),
      },
    }),
    // we sign with ES256, and oidc-provider demands a key for every algorithm that it offers
    jwks: { keys: [parts.keys.signer] },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    fetch: (address) => parts.fetchClientDocument(String(address)),
    cookies: {
      keys: [parts.keys.cookieKey],
      names: { session: 'souk_session', interaction: 'souk_interaction', resume: 'souk_resume' },
      long: { httpOnly: true, sameSite: 'lax', path: '/oauth', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      jwks: '/oauth/jwks',
      end_session: '/oauth/logout',
    },
    clients: [frontendClient(brandName, publicUrl)],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    // mcp:* belong to resources only: if they stood here too, the user would be asked for consent twice
    scopes: ['openid', 'email', 'profile'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    responseTypes: ['code'],
    pkce: { required: () => true },
    rotateRefreshToken: (ctx) => !reuse.isRetry(ctx.req),
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // a client stays connected when the browser loses its session
    expiresWithSession: () => false,
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: 60,
      IdToken: accessTokenSeconds,
      Interaction: interactionMinutes * 60,
      Session: 14 * daySeconds,
      Grant: refreshMaxSeconds,
      RefreshToken: (ctx) => refreshSecondsLeft(ctx),
    },
    clientBasedCORS: (_ctx, origin, client) => client.clientId !== frontendClientId || origin === publicUrl,
    findAccount: (_ctx, id) => findAccount(parts.users, id),
    // every request looks this grant up (authentication/verify-access-token.ts); a revocation names it
    extraTokenClaims: (ctx, token) => ('grantId' in token ? { gid: token.grantId, ...signInTime(ctx) } : undefined),
    interactions: { policy: createPolicy(), url: (_ctx, interaction) => `/oauth/interaction/${interaction.uid}` },
    loadExistingGrant: (ctx) => loadGrant(ctx, resources),
    renderError: (ctx, out, error) => {
      ctx.type = 'html';
      ctx.set('content-security-policy', pagePolicy());
      ctx.set('x-frame-options', 'DENY');
      ctx.body = renderOAuthErrorPage(brandName, out, {
        error,
        clientId: ctx.query['client_id'],
        address: ctx.originalUrl,
      });
    },
    features: createProviderFeatures({ resources, ids, servesClientDocuments: clientDocuments.served }),
  } satisfies Configuration);

  // hand-over.ts has set each request's host and protocol to those of PUBLIC_URL
  provider.proxy = true;
  allowRedirects(provider);
  reuse.install(provider);
  provider.on('grant.revoked', (_ctx, grantId) => parts.onGrantRevoked(grantId));
  return provider;
}

function frontendClient(brandName: string, publicUrl: string): ClientMetadata {
  return {
    client_id: frontendClientId,
    client_name: brandName,
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: [`${publicUrl}/auth/callback`],
  };
}

async function findAccount(users: UserStore, id: string) {
  const user = await users.find(id);
  if (!user) return undefined;
  return {
    accountId: user.id,
    claims: () => ({
      sub: user.id,
      email: user.email,
      email_verified: true,
      name: user.displayName,
      picture: user.photoUrl ?? undefined,
    }),
  };
}

/**
 * Allows any loopback port (RFC 8252) to every client but our own, regardless of its application_type (Claude Code sends none).
 * The web app has one address: it is asked for no consent, so no other program on this machine may take its codes.
 */
function allowRedirects(provider: Provider): void {
  provider.Client.prototype.redirectUriAllowed = function (this: Client, uri: string) {
    if (this.clientId === frontendClientId) return (this.redirectUris ?? []).includes(uri);
    return matchesRedirect(uri, this.redirectUris ?? []);
  };
}
