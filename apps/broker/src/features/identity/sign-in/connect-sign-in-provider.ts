import type { UpstreamSignIn } from '#adapters/google/google-sign-in.ts';
import type { IdentityOptions } from '../identity-options.ts';
import type { SigningKeys } from '../oauth/signing-keys.ts';
import { createStandIn } from '../stand-in/stand-in.ts';

export type SignInProvider = {
  /** Address of the OpenID provider by which people sign in. */
  issuer: string;
  upstream: UpstreamSignIn;
  /** Takes Google's place where Google is not configured. */
  standIn: ReturnType<typeof createStandIn> | undefined;
};

/** Google where it is configured, else the stand-in. */
export function connectSignInProvider(options: IdentityOptions, keys: SigningKeys): SignInProvider {
  const { db, config, vault } = options;
  const { publicUrl, brandName, google } = config;
  const redirectUri = `${publicUrl}/auth/google/callback`;
  // The stand-in's secret protects nothing that a visitor of its account page could not have; it only has to be there.
  const client = { clientId: 'souk', clientSecret: keys.cookieKey };
  const standIn = google ? undefined : createStandIn({ publicUrl, brandName, db, vault, keys, redirectUri, client });
  const issuer = standIn?.issuer ?? options.googleIssuer ?? 'https://accounts.google.com';
  return { issuer, standIn, upstream: options.connectUpstream({ issuer, redirectUri, ...(google ?? client) }) };
}
