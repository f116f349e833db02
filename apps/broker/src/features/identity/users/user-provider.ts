import type { Config } from '#platform/config.ts';

/** Ids of providers, for users and programs; dev is the stand-in's. */
export const providerIds = ['google', 'oidc', 'dev'] as const;
export type ProviderId = (typeof providerIds)[number];

/**
 * Provider of an identity as stored. A company's own provider includes its issuer: subjects of one mean nothing at
 * another, so its users no longer exist here when the operator configures another.
 */
export type StoredProvider = 'google' | 'dev' | `oidc:${string}`;

export function providerOfIssuer(issuer: string): StoredProvider {
  return `oidc:${issuer}`;
}

export function providerIdOf(stored: StoredProvider): ProviderId {
  return stored === 'google' || stored === 'dev' ? stored : 'oidc';
}

/** The configured providers. Users of all others do not exist here (clarifications, Sign-in). */
export function activeProviders(config: Pick<Config, 'google' | 'oidc' | 'standIn'>): readonly StoredProvider[] {
  if (config.standIn) return ['dev'];
  return [
    ...(config.google ? (['google'] as const) : []),
    ...(config.oidc ? [providerOfIssuer(config.oidc.issuer)] : []),
  ];
}
