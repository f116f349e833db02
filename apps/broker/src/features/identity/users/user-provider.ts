import type { Config } from '#platform/config.ts';

/** Ids of providers, as people and programs name them; dev is the stand-in's. */
export const providerIds = ['google', 'oidc', 'dev'] as const;
export type ProviderId = (typeof providerIds)[number];

/**
 * What the table of identities holds. A company's own provider is named with its issuer: its subjects mean nothing at
 * another one, so that users of the former provider exist no more when the operator turns to another.
 */
export type StoredProvider = 'google' | 'dev' | `oidc:${string}`;

export function providerOfIssuer(issuer: string): StoredProvider {
  return `oidc:${issuer}`;
}

export function providerIdOf(stored: StoredProvider): ProviderId {
  return stored === 'google' || stored === 'dev' ? stored : 'oidc';
}

/** The providers that are configured. Users of all others do not exist here (clarifications, Sign-in). */
export function activeProviders(config: Pick<Config, 'google' | 'oidc' | 'standIn'>): readonly StoredProvider[] {
  if (config.standIn) return ['dev'];
  return [
    ...(config.google ? (['google'] as const) : []),
    ...(config.oidc ? [providerOfIssuer(config.oidc.issuer)] : []),
  ];
}
