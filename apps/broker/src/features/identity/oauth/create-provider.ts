import {
  Provider,
  errors,
  interactionPolicy,
  type Configuration,
  type Client,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { mcpScopes } from '@souk/contract/identity.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { pagePolicy } from '#platform/http/answers/page.ts';
import type { Ids } from '#platform/ids.ts';
import { asRecord } from '#platform/json.ts';
import { namesNoScope } from './authorize-request.ts';
import { publicClientId, readClientMetadata } from './client-documents/client-metadata.ts';
import { clientAddress } from './hand-over.ts';
import { interactionMinutes, type OpenInteractions } from './open-interactions.ts';
import { createRecordStore } from './record-store.ts';
import type { RefreshReuse } from './tokens/refresh-reuse.ts';
import { matchesRedirect } from './redirect-uri.ts';
import { frontendClientId, type Resources } from './resources.ts';
import { renderOAuthErrorPage } from '../pages/oauth-error-page.ts';
import type { SigningKeys } from './keys/signing-keys.ts';
import type { UserStore } from '../users/user-store.ts';

const accessTokenSeconds = 600;
const daySeconds = 86_400;
const refreshIdleSeconds = 30 * daySeconds;
const refreshMaxSeconds = 90 * daySeconds;
const allScopes = mcpScopes.join(' ');

export type ProviderOptions = {
  publicUrl: string;
  brandName: string;
  resources: Resources;
  db: Database;
  vault: Vault;
  ids: Ids;
  users: UserStore;
  reuse: RefreshReuse;
  interactions: Pick<OpenInteractions, 'placeOf' | 'noteStored'>;
  keys: Pick<SigningKeys, 'signer' | 'cookieKey'>;
  /** Whether a client may name itself by a metadata document. */
  servesClientDocuments: boolean;
  fetchClientDocument: (address: string | URL) => Promise<Response>;
  onGrantRevoked: (grantId: string) => void;
};

/** The authorization server: oidc-provider under our policy, over the table oauth_records. */
export function createProvider(options: ProviderOptions): Provider {
  const { publicUrl, resources } = options;
  const provider = new Provider(publicUrl, {
    adapter: createRecordStore(options.db, options.vault, {
      reuse: options.reuse,
      interactions: {
        noteStored: options.interactions.noteStored,
        currentPlace: () => Provider.ctx && options.interactions.placeOf(clientAddress(Provider.ctx.req)),
      },
    }),
    // ES256 is what we sign with; oidc-provider wants every algorithm that it offers to have a key.
    jwks: { keys: [options.keys.signer] },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    fetch: (address) => options.fetchClientDocument(String(address)),
    cookies: {
      keys: [options.keys.cookieKey],
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
    clients: [
      {
        client_id: frontendClientId,
        client_name: options.brandName,
        application_type: 'web',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [`${publicUrl}/auth/callback`],
      },
    ],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    // mcp:* are scopes of resources only: named here too, consent would be asked twice.
    scopes: ['openid', 'email', 'profile'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    responseTypes: ['code'],
    pkce: { required: () => true },
    rotateRefreshToken: (ctx) => !options.reuse.isRetry(ctx.req),
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // A client stays connected when the browser forgets its session.
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
    findAccount: async (_ctx, id) => {
      const user = await options.users.find(id);
      if (!user) return undefined;
      return {
        accountId: user.id,
        claims: () => ({
          sub: user.id,
          email: user.email,
          email_verified: true,
          name: user.displayName,
          picture: user.photoUrl,
        }),
      };
    },
    // What a revocation names: every request looks its grant up (authentication/verify-access-token.ts).
    extraTokenClaims: (ctx, token) => ('grantId' in token ? { gid: token.grantId, ...signInTime(ctx) } : undefined),
    interactions: { policy: createPolicy(), url: (_ctx, interaction) => `/oauth/interaction/${interaction.uid}` },
    loadExistingGrant: (ctx) => loadGrant(ctx, resources),
    renderError: (ctx, out, error) => {
      ctx.type = 'html';
      ctx.set('content-security-policy', pagePolicy());
      ctx.set('x-frame-options', 'DENY');
      ctx.body = renderOAuthErrorPage(options.brandName, out, {
        error,
        clientId: ctx.query['client_id'],
        address: ctx.originalUrl,
      });
    },
    features: {
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
        idFactory: (ctx) => clientIdFor(ctx, options.ids),
      },
      clientIdMetadataDocument: {
        enabled: options.servesClientDocuments,
        ack: 'draft-02',
        cacheDuration: { min: 300, max: daySeconds },
        allowFetch: (_ctx, id) => new URL(id).pathname !== '/',
        allowClient: () => true,
      },
      resourceIndicators: {
        enabled: true,
        // Clients that name no resource exist; without a default they would get a token that opens nothing.
        defaultResource: (_ctx, client, oneOf) =>
          oneOf?.[0] ?? (client.clientId === frontendClientId ? resources.api : resources.mcp),
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource, client) => {
          if (!mayRequest(client, resource, resources)) throw new errors.InvalidTarget('unknown resource');
          if (ctx.oidc.route === 'authorization') {
            // Asked at sign-in only: a server that is away for a while must not cost its clients their sign-ins.
            if (!resources.exists(resource)) throw new errors.InvalidTarget('there is no such server');
            const scope = ctx.oidc.params?.['scope'];
            if (namesNoScope(scope)) throw new errors.InvalidScope('no known scope was requested', String(scope));
          }
          return {
            scope: allScopes,
            audience: resource,
            accessTokenTTL: accessTokenSeconds,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } },
          };
        },
      },
    },
  } satisfies Configuration);

  // We stand behind our own front: host and protocol of each request are pinned to PUBLIC_URL before it gets here.
  provider.proxy = true;
  // RFC 8252 loopback ports for every other client, whatever application_type it gave (Claude Code gives none).
  // Our own web app has one address: it is asked for no consent, so nothing else on this machine may take its codes.
  provider.Client.prototype.redirectUriAllowed = function (this: Client, uri: string) {
    if (this.clientId === frontendClientId) return (this.redirectUris ?? []).includes(uri);
    return matchesRedirect(uri, this.redirectUris ?? []);
  };
  options.reuse.install(provider);
  provider.on('grant.revoked', (_ctx, grantId) => options.onGrantRevoked(grantId));
  return provider;
}

/** The web app gets tokens for the API alone, every other client for MCP endpoints alone. */
export function mayRequest(client: { clientId: string }, resource: string, resources: Resources): boolean {
  return client.clientId === frontendClientId ? resource === resources.api : resources.isMcp(resource);
}

/** 30 days from the last use, 90 from the sign-in. */
function refreshSecondsLeft(ctx: KoaContextWithOIDC): number {
  const signedInAt = ctx.oidc.entities.RotatedRefreshToken?.iiat;
  if (signedInAt === undefined) return refreshIdleSeconds;
  const left = signedInAt + refreshMaxSeconds - Math.floor(Date.now() / 1000);
  return Math.max(1, Math.min(refreshIdleSeconds, left));
}

function createPolicy() {
  const policy = interactionPolicy.base();
  const login = policy.get('login');
  // A session may outlive its user (deactivated, deleted, or of the stand-in when Google is configured by now).
  login?.checks.add(
    new interactionPolicy.Check('account_gone', 'the account of this session cannot be used', (ctx) =>
      ctx.oidc.session?.accountId !== undefined && ctx.oidc.account === undefined
        ? interactionPolicy.Check.REQUEST_PROMPT
        : interactionPolicy.Check.NO_NEED_TO_PROMPT,
    ),
  );
  return policy;
}

/**
 * One grant for each authorization, so that revoking one device leaves the others alone. The consent page made it for an
 * MCP client; our own web app asks for no consent and gets it here.
 */
async function loadGrant(ctx: KoaContextWithOIDC, resources: Resources) {
  const consented = ctx.oidc.result?.consent?.grantId;
  if (consented !== undefined) return ctx.oidc.provider.Grant.find(consented);
  const accountId = ctx.oidc.session?.accountId;
  if (ctx.oidc.client?.clientId !== frontendClientId || accountId === undefined) return undefined;
  const grant = new ctx.oidc.provider.Grant({ clientId: frontendClientId, accountId });
  grant.addOIDCScope('openid email profile');
  grant.addResourceScope(resources.api, allScopes);
  await grant.save();
  return grant;
}

/** When the sign-in behind a token of the web app was (RFC 9068, section 2.2.1). A renewed refresh token keeps it. */
function signInTime({ oidc }: KoaContextWithOIDC): { auth_time?: number } {
  if (oidc.client?.clientId !== frontendClientId) return {};
  const { AuthorizationCode: code, RefreshToken: refreshToken } = oidc.entities;
  const authTime = code?.authTime ?? refreshToken?.authTime;
  return authTime === undefined ? {} : { auth_time: authTime };
}

function clientIdFor(ctx: KoaContextWithOIDC, ids: Ids): string {
  const read = readClientMetadata(asRecord(ctx.oidc.body) ?? {});
  if ('metadata' in read && read.metadata.token_endpoint_auth_method === 'none') return publicClientId(read.metadata);
  return `client_${ids.secret(24)}`;
}
