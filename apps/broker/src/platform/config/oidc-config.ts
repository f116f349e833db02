import type { Environment } from './environment.ts';
import { isLoopback } from './is-loopback.ts';

/** A company's own OpenID provider. */
export type OidcConfig = {
  /** As the operator wrote it, since it must equal what the provider calls itself. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The name shown to users. */
  name: string;
  /** Whether e-mail addresses count as verified if the provider does not say. */
  trustEmail: boolean;
};

/** Reads OIDC_ISSUER and the variables that belong to it. @param problems gets problems, never a secret */
export function readOidc(
  env: Pick<Environment, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_NAME' | 'OIDC_TRUST_EMAIL'>,
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
  // Plain http is allowed for a provider on this machine, whose answers cannot be changed on the way.
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
