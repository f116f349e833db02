import * as oidc from 'openid-client';

/** Who signed in, as the provider says. */
export type UpstreamProfile = {
  subject: string;
  email: string;
  emailVerified: boolean;
  displayName: string;
  photoUrl: string | undefined;
};

/** What must be remembered in the browser between leaving for the provider and coming back. */
type PendingSignIn = { verifier: string; state: string; nonce: string };

/** Sign-in at an outside provider: one interface, whoever stands behind it. */
export type UpstreamSignIn = {
  /** Where to send the browser, and what to remember. `mustAsk`: the provider lets the person choose the account. */
  start(options?: { mustAsk?: boolean }): Promise<{ url: string; pending: PendingSignIn }>;
  /**
   * Redeems the callback's code. State, nonce, issuer, audience, signature and PKCE are checked.
   * @param callbackUrl the whole address that the browser came back to
   * @throws UpstreamRefusedError when the provider or the person said no; any other error when a check failed
   */
  finish(callbackUrl: URL, pending: PendingSignIn): Promise<UpstreamProfile>;
  /** Our clock minus the provider's, as its last answer dated itself; 0 before any. Identity tokens are dated too. */
  clockSkewMs(): number;
};

type UpstreamSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** Answers in place of the network, for tests. */
  fetch?: oidc.CustomFetch;
};

export type ConnectUpstream = (settings: UpstreamSettings) => UpstreamSignIn;

/** The provider answered with an OAuth error, access_denied for one. */
export class UpstreamRefusedError extends Error {
  readonly error: string;
  constructor(error: string, cause: unknown) {
    super(`the provider answered ${error}`, { cause });
    this.name = 'UpstreamRefusedError';
    this.error = error;
  }
}

/**
 * Google, or whatever OpenID provider stands at `issuer`. Its metadata is fetched at the first sign-in, not at the start:
 * a provider that is down must not keep the product from starting, and the stand-in is served by ourselves.
 */
export const connectGoogle: ConnectUpstream = (settings) => {
  let discovered: Promise<oidc.Configuration> | undefined;
  let skewMs = 0;
  /** Notes how far apart the clocks are: an identity token is refused for it, and nothing in it says why. */
  const datedFetch: oidc.CustomFetch = async (url, init) => {
    // undici's own types are stricter about undefined than what openid-client gives it
    const answer = await (settings.fetch ? settings.fetch(url, init) : fetch(url, init as RequestInit));
    const dated = Date.parse(answer.headers.get('date') ?? '');
    if (!Number.isNaN(dated)) skewMs = Date.now() - dated;
    return answer;
  };

  function configuration(): Promise<oidc.Configuration> {
    discovered ??= discover({ ...settings, fetch: datedFetch }).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  }

  return {
    clockSkewMs: () => skewMs,

    async start({ mustAsk = false } = {}) {
      const pending = {
        verifier: oidc.randomPKCECodeVerifier(),
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
      };
      const url = oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: settings.redirectUri,
        scope: 'openid email profile',
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        state: pending.state,
        nonce: pending.nonce,
        ...(mustAsk && { prompt: 'select_account' }),
      });
      return { url: url.href, pending };
    },

    async finish(callbackUrl, pending) {
      let tokens;
      try {
        tokens = await oidc.authorizationCodeGrant(await configuration(), callbackUrl, {
          pkceCodeVerifier: pending.verifier,
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          idTokenExpected: true,
        });
      } catch (error) {
        if (error instanceof oidc.AuthorizationResponseError) throw new UpstreamRefusedError(error.error, error);
        throw error;
      }
      const claims = tokens.claims();
      if (!claims) throw new Error('the provider sent no identity');
      // Google puts e-mail and name into the identity token; OpenID providers may keep them for their userinfo.
      const person: Record<string, unknown> =
        typeof claims['email'] === 'string'
          ? claims
          : await oidc.fetchUserInfo(await configuration(), tokens.access_token, claims.sub);
      const { email, email_verified: verified, name, picture } = person;
      if (typeof email !== 'string') throw new Error('the provider sent no e-mail address');
      return {
        subject: claims.sub,
        email: email.toLowerCase(),
        emailVerified: verified === true,
        displayName: typeof name === 'string' && name !== '' ? name : (email.split('@')[0] ?? email),
        photoUrl: typeof picture === 'string' && picture.startsWith('https:') ? picture : undefined,
      };
    },
  };
};

function discover(settings: UpstreamSettings & { fetch: oidc.CustomFetch }): Promise<oidc.Configuration> {
  const issuer = new URL(settings.issuer);
  return oidc.discovery(issuer, settings.clientId, undefined, oidc.ClientSecretBasic(settings.clientSecret), {
    execute: [
      // TLS alone would do by the specification; we also want the identity token's signature checked.
      oidc.enableNonRepudiationChecks,
      // Plain http is for a stand-in on loopback alone: the configuration refuses any other.
      ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
    ],
    timeout: 10,
    [oidc.customFetch]: settings.fetch,
  });
}
