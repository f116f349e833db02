import { isLoopback } from './is-loopback.ts';

/** A company's own OpenID provider. */
export type OidcConfig = {
  /** As the operator wrote it: what the provider calls itself must be the same. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What people call it. */
  name: string;
  /** Its addresses count as verified where it does not say whether they are. */
  trustEmail: boolean;
};

/**
 * Reads OIDC_ISSUER and its kin: the issuer, the client's id and its secret go together.
 * @param problems problems are added here, never a secret
 */
export function readOidc(
  env: {
    OIDC_ISSUER?: string | undefined;
    OIDC_CLIENT_ID?: string | undefined;
    OIDC_CLIENT_SECRET?: string | undefined;
    OIDC_NAME?: string | undefined;
    OIDC_TRUST_EMAIL: boolean;
  },
  problems: string[],
): OidcConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env;
  const together = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
  const missing = Object.entries(together).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (missing.length === 3) {
    if (env.OIDC_NAME !== undefined || env.OIDC_TRUST_EMAIL) {
      problems.push('OIDC_NAME and OIDC_TRUST_EMAIL belong to a provider: OIDC_ISSUER is missing');
    }
    return undefined;
  }
  problems.push(...missing.map((name) => `${name} is missing: ${Object.keys(together).join(', ')} go together`));
  const url = issuer === undefined ? undefined : readIssuer(issuer, problems);
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return url && { issuer, clientId, clientSecret, name: env.OIDC_NAME ?? url.host, trustEmail: env.OIDC_TRUST_EMAIL };
}

function readIssuer(text: string, problems: string[]): URL | undefined {
  const url = URL.parse(text);
  // Plain http is for a provider on this machine: its answers cannot be changed on the way.
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (!url || !isSafe) {
    problems.push('OIDC_ISSUER must be an https address');
    return undefined;
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.pathname.includes('/.well-known/')) {
    problems.push(
      'OIDC_ISSUER must be the address of the provider itself, without /.well-known/…, query, fragment and user',
    );
    return undefined;
  }
  return url;
}
