import * as oidc from 'openid-client';

type Refusal = {
  /** Whether the server does not know our client, or not with this secret. */
  isOfClient: boolean;
  /** The server's description, if any. */
  said: string | undefined;
};

/**
 * Permanent errors (RFC 6749 section 5.2, RFC 8707 section 2, OpenID Connect Core section 3.1.2.6): the same request
 * would fail again, and the user has to sign in again. Others may be temporary.
 */
const permanent: ReadonlySet<string> = new Set([
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
/** Request Timeout and Too Many Requests are temporary, even if the body says otherwise. */
const temporary: ReadonlySet<number> = new Set([408, 429]);

/** Returns a token endpoint's permanent refusal; undefined if the failure may be temporary. */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof oidc.ResponseBodyError) || temporary.has(error.status) || !permanent.has(error.error)) {
    return undefined;
  }
  return { isOfClient: error.error === 'invalid_client', said: error.error_description };
}

/** Returns whether a server may have refused the scope: some refuse any scope at a refresh. */
export function refusesScope(error: unknown): boolean {
  if (!(error instanceof oidc.ResponseBodyError) || error.status !== 400) return false;
  return error.error === 'invalid_scope' || error.error === 'invalid_request';
}
