import { interactionPolicy, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { allMcpScopes } from '../authorize-request.ts';
import { daySeconds } from './provider-features.ts';
import { frontendClientId, type Resources } from '../resources.ts';

const refreshIdleSeconds = 30 * daySeconds;
export const refreshMaxSeconds = 90 * daySeconds;

/** Seconds that a refresh token lives: 30 days from the last use, at most 90 from the sign-in. */
export function refreshSecondsLeft(ctx: KoaContextWithOIDC): number {
  const signedInAt = ctx.oidc.entities.RotatedRefreshToken?.iiat;
  if (signedInAt === undefined) return refreshIdleSeconds;
  const left = signedInAt + refreshMaxSeconds - Math.floor(Date.now() / 1000);
  return Math.max(1, Math.min(refreshIdleSeconds, left));
}

export function createPolicy() {
  const policy = interactionPolicy.base();
  const login = policy.get('login');
  // a session may outlive its user, who was deactivated or deleted, or is the stand-in's although Google is configured now
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
 * Finds the grant of an authorization. Each has its own, so that revoking one device does not affect the others. The
 * consent page created it for an MCP client; the web app, which is not asked for consent, gets it here.
 */
export async function loadGrant(ctx: KoaContextWithOIDC, resources: Resources) {
  const consented = ctx.oidc.result?.consent?.grantId;
  if (consented !== undefined) return ctx.oidc.provider.Grant.find(consented);
  const accountId = ctx.oidc.session?.accountId;
  if (ctx.oidc.client?.clientId !== frontendClientId || accountId === undefined) return undefined;
  const grant = newFrontendGrant(ctx.oidc.provider, accountId, resources);
  await grant.save();
  return grant;
}

/** Returns an unsaved grant of the web app for the API. */
export function newFrontendGrant(provider: Provider, accountId: string, resources: Resources) {
  const grant = new provider.Grant({ clientId: frontendClientId, accountId });
  grant.addOIDCScope('openid email profile');
  grant.addResourceScope(resources.api, allMcpScopes);
  return grant;
}

/** Time of the sign-in behind a token of the web app (RFC 9068, section 2.2.1). A renewed refresh token keeps it. */
export function signInTime({ oidc }: KoaContextWithOIDC): { auth_time?: number } {
  if (oidc.client?.clientId !== frontendClientId) return {};
  const { AuthorizationCode: code, RefreshToken: refreshToken } = oidc.entities;
  const authTime = code?.authTime ?? refreshToken?.authTime;
  return authTime === undefined ? {} : { auth_time: authTime };
}
