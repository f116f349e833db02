import type { UpstreamSignIn } from '#adapters/openid/openid-sign-in.ts';
import type { IdentityOptions } from '../identity-options.ts';
import type { SigningKeys } from '../oauth/keys/signing-keys.ts';
import { createStandIn } from '../stand-in/stand-in.ts';
import { providerOfIssuer, type StoredProvider } from '../users/user-provider.ts';

export type SignInProvider = {
  /** Part of its addresses: /auth/{id} and /auth/{id}/callback. */
  id: 'google' | 'oidc';
  /** Provider of its users: the stand-in has Google's addresses, but its users are not Google's. */
  storedAs: StoredProvider;
  name: string;
  issuer: string;
  /** Whether addresses count as verified when the provider does not say whether they are. */
  trustEmail: boolean;
  upstream: UpstreamSignIn;
};

export type SignInProviders = {
  /** At least one. */
  all: readonly SignInProvider[];
  find(id: string): SignInProvider | undefined;
  /** The only provider, if there is no choice. */
  only: SignInProvider | undefined;
  /** Replaces Google when no provider is configured. */
  standIn: ReturnType<typeof createStandIn> | undefined;
};

/** Connects Google and the company's own provider, if they are configured; otherwise the stand-in. */
export function connectSignInProviders(options: IdentityOptions, keys: SigningKeys): SignInProviders {
  const { config, connectUpstream } = options;
  const { google, oidc } = config;
  const standIn = config.standIn ? startStandIn(options, keys) : undefined;
  const all: SignInProvider[] = [];
  if (google || standIn) {
    const issuer = standIn?.issuer ?? options.googleIssuer ?? 'https://accounts.google.com';
    const client = google ?? standInClient(keys);
    all.push({
      id: 'google',
      storedAs: standIn ? 'dev' : 'google',
      name: standIn ? 'Google (stand-in)' : 'Google',
      issuer,
      trustEmail: false,
      upstream: connectUpstream({ issuer, ...client, redirectUri: callbackOf(config.publicUrl, 'google') }),
    });
  }
  if (oidc) {
    const { name, issuer, trustEmail } = oidc;
    const redirectUri = callbackOf(config.publicUrl, 'oidc');
    const upstream = connectUpstream({ ...oidc, redirectUri });
    all.push({ id: 'oidc', storedAs: providerOfIssuer(issuer), name, issuer, trustEmail, upstream });
  }
  const [first] = all;
  return {
    all,
    find: (id) => all.find((one) => one.id === id),
    only: all.length === 1 ? first : undefined,
    standIn,
  };
}

function startStandIn({ db, config, vault, clock }: IdentityOptions, keys: SigningKeys) {
  const { publicUrl, brandName } = config;
  const redirectUri = callbackOf(publicUrl, 'google');
  return createStandIn({ publicUrl, brandName, db, vault, keys, clock, redirectUri, client: standInClient(keys) });
}

/** This secret only has to exist: it protects nothing beyond what any visitor of the stand-in's page can do. */
function standInClient(keys: SigningKeys) {
  return { clientId: 'souk', clientSecret: keys.cookieKey };
}

function callbackOf(publicUrl: string, id: SignInProvider['id']): string {
  return publicUrl + callbackPath(id);
}

export function callbackPath(id: SignInProvider['id']): string {
  return `/auth/${id}/callback`;
}
