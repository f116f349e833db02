import * as oidc from 'openid-client';

/** Why a token endpoint refused. */
type Refusal = {
  /** It does not know our client, or not by this secret. */
  isOfClient: boolean;
  /** The server's own words, where it has any. */
  said: string | undefined;
};

/**
 * Errors that the same request gets again (RFC 6749 section 5.2, RFC 8707 section 2, OpenID Connect Core section 3.1.2.6):
 * trying later helps nobody, and the person has to sign in again. Others may pass.
 */
const lasting: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'access_denied',
  'interaction_required',
  'login_required',
  'consent_required',
]);
/** Request Timeout and Too Many Requests pass, whatever the body says. */
const passing: ReadonlySet<number> = new Set([408, 429]);

/** What a token endpoint's answer says for good; undefined where the failure may be temporary. */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof oidc.ResponseBodyError) || passing.has(error.status) || !lasting.has(error.error)) {
    return undefined;
  }
  return { isOfClient: error.error === 'invalid_client', said: error.error_description };
}

/** Whether the scope may be what a server does not take: some refuse any at a refresh. */
export function refusesScope(error: unknown): boolean {
  if (!(error instanceof oidc.ResponseBodyError) || error.status !== 400) return false;
  return error.error === 'invalid_scope' || error.error === 'invalid_request';
}
