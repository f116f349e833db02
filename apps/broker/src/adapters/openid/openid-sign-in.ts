import * as oidc from 'openid-client';
import { boundedFetch } from './bounded-fetch.ts';
import { refusalOf } from './refusal-of.ts';
import { readPerson, type Person } from './read-person.ts';

const googleIssuer = 'https://accounts.google.com';

/** Limit for each request to the provider and its answer. A sign-in takes three, the first one after a start five. */
const requestTimeoutSeconds = 15;

export type UpstreamProfile = Person & {
  /** When the provider authenticated the user, in epoch milliseconds; undefined if it does not say. */
  authenticatedAtMs: number | undefined;
};

/** The values that the browser keeps between the redirect to the provider and the callback. */
type PendingSignIn = { verifier: string; state: string; nonce: string };

/** Sign-in at an external provider. Every provider implements this interface. */
export type UpstreamSignIn = {
  /**
   * The URL to send the browser to, and the values to keep.
   * @param options.mustAsk the provider lets the user choose the account
   * @param options.mustAuthenticate the provider authenticates the user again, and says when it did
   */
  start(options?: { mustAsk?: boolean; mustAuthenticate?: boolean }): Promise<{ url: string; pending: PendingSignIn }>;
  /**
   * Redeems the callback's code. Checks state, nonce, issuer, audience, signature and PKCE.
   * @param callbackUrl the full URL that the browser returned to
   * @throws UpstreamRefusedError when the provider or the user refused; any other error when a check failed
   */
  finish(callbackUrl: URL, pending: PendingSignIn): Promise<UpstreamProfile>;
  /** Our clock minus the provider's, from the Date header of its last response; 0 before the first. */
  clockSkewMs(): number;
};

type UpstreamSettings = {
  /** The provider's name for itself, which its metadata and identity tokens must have. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** The way out for requests (outgoing-fetch.ts), or a replacement of the network in tests. By default Node's fetch. */
  fetch?: oidc.CustomFetch;
};

export type ConnectUpstream = (settings: UpstreamSettings) => UpstreamSignIn;

/** The provider returned an OAuth error such as access_denied. */
export class UpstreamRefusedError extends Error {
  readonly error: string;
  constructor(error: string, cause: unknown) {
    super(`the provider returned ${error}`, { cause });
    this.name = 'UpstreamRefusedError';
    this.error = error;
  }
}

/**
 * Connects to the OpenID provider at `issuer`: Google, a company's own, or the stand-in. Its metadata is fetched at the first
 * sign-in, not at startup: a provider that is down must not stop the product from starting, and the broker itself serves the
 * stand-in.
 */
export const connectOpenId: ConnectUpstream = (settings) => {
  let discovered: Promise<oidc.Configuration> | undefined;
  let skewMs = 0;
  /** Records the clock skew, because the error of a token that is rejected for it does not name it. */
  const datedFetch: oidc.CustomFetch = async (url, init) => {
    const answer = await boundedFetch(settings.fetch)(url, init);
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

    async start({ mustAsk = false, mustAuthenticate = false } = {}) {
      const pending = {
        verifier: oidc.randomPKCECodeVerifier(),
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
      };
      const known = await configuration();
      const url = oidc.buildAuthorizationUrl(known, {
        redirect_uri: settings.redirectUri,
        scope: 'openid email profile',
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        state: pending.state,
        nonce: pending.nonce,
        ...(mustAsk && { prompt: promptThatAsks(known) }),
        // with max_age the identity token says when (OpenID Connect Core, section 3.1.2.1)
        ...(mustAuthenticate && { prompt: promptThatAuthenticates(known), max_age: '0' }),
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
        const refusal = await refusalOf(error);
        if (refusal !== undefined) throw new Error(`the provider refused: ${refusal}`, { cause: error });
        throw error;
      }
      const claims = tokens.claims();
      if (!claims) throw new Error('the provider sent no identity');
      const profile = await completeProfile(await configuration(), tokens.access_token, claims);
      const authTime = claims.auth_time;
      return {
        ...readPerson(claims.sub, profile),
        authenticatedAtMs: typeof authTime === 'number' ? Math.max(0, authTime * 1000) : undefined,
      };
    },
  };
};

/**
 * Completes the claims from userinfo. Google puts e-mail and name into the identity token; other providers only return them,
 * or whether the address is verified, from userinfo.
 */
async function completeProfile(
  configuration: oidc.Configuration,
  accessToken: string,
  claims: oidc.IDToken,
): Promise<Record<string, unknown>> {
  const isComplete = typeof claims['email'] === 'string' && claims['email_verified'] !== undefined;
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...claims, ...(await oidc.fetchUserInfo(configuration, accessToken, claims.sub)) };
}

/** Prefers a list of accounts, if the provider has one. Every provider supports login. */
function promptThatAsks(configuration: oidc.Configuration): 'select_account' | 'login' {
  const known = configuration.serverMetadata()['prompt_values_supported'];
  return !Array.isArray(known) || known.includes('select_account') ? 'select_account' : 'login';
}

/** Google does not document `login`: there, the user can only choose the account again. */
function promptThatAuthenticates(configuration: oidc.Configuration): 'select_account' | 'login' {
  const { issuer, prompt_values_supported: known } = configuration.serverMetadata();
  if (issuer === googleIssuer) return 'select_account';
  return !Array.isArray(known) || known.includes('login') ? 'login' : 'select_account';
}

/** Sends the secret in the header, unless the provider only accepts the form (OpenID Connect Discovery, section 3). */
function sendSecret(secret: string): oidc.ClientAuth {
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const send = methods.includes('client_secret_basic') ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    return send(secret)(server, client, body, headers);
  };
}

function discover(settings: UpstreamSettings & { fetch: oidc.CustomFetch }): Promise<oidc.Configuration> {
  const issuer = new URL(settings.issuer);
  return oidc.discovery(issuer, settings.clientId, undefined, sendSecret(settings.clientSecret), {
    execute: [
      // the specification accepts TLS alone; we also check the identity token's signature
      oidc.enableNonRepudiationChecks,
      // plain http is only for a stand-in on loopback; the configuration refuses any other http issuer
      ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
    ],
    timeout: requestTimeoutSeconds,
    [oidc.customFetch]: settings.fetch,
  });
}
