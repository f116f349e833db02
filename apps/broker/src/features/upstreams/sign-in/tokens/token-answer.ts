import { cleanLabel } from '#platform/text/clean-label.ts';
import { bearerParameters } from '#platform/http/outgoing/challenge-header.ts';
import { withoutNullMembers } from '#platform/http/outgoing/without-null-members.ts';
import { asRecord } from '#platform/json.ts';

/** The standard's error codes (RFC 6749 section 5.2) for those of GitHub and Slack. */
const errors: Readonly<Record<string, string>> = {
  bad_refresh_token: 'invalid_grant',
  bad_verification_code: 'invalid_grant',
  code_already_used: 'invalid_grant',
  invalid_code: 'invalid_grant',
  invalid_refresh_token: 'invalid_grant',
  token_expired: 'invalid_grant',
  token_revoked: 'invalid_grant',
  bad_client_secret: 'invalid_client',
  incorrect_client_credentials: 'invalid_client',
  invalid_client_id: 'invalid_client',
};

/** Longest description of a refusal that is shown. */
const maxDescriptionCharacters = 200;

/**
 * Tokens that an endpoint has issued. They are read even if the rest of its answer is odd, because tokens that cannot
 * be stored are revoked.
 */
export type Issued = {
  accessToken: string;
  refreshToken: string | undefined;
  /** Lifetime as sent, of any type. */
  expiresIn: unknown;
  /** Granted scope as sent. A server may omit it if it granted what was asked for. */
  scope: string | undefined;
  /** Claims of an identity token in the answer. Their signature is not verified. */
  claims: Readonly<Record<string, unknown>> | undefined;
};

type Read = { status: number; content: string; isRefusal?: boolean; issued?: Issued };

/**
 * Rewrites a token endpoint's answer for openid-client. Removes its challenge, which openid-client would read as
 * another failure.
 */
export async function asTokenAnswer(answer: Response): Promise<{ response: Response; issued: Issued | undefined }> {
  const read = readTokenAnswer(await answer.text(), answer.status, answer.headers.get('www-authenticate'));
  const headers = new Headers(answer.headers);
  headers.delete('www-authenticate');
  if (read.isRefusal === true) headers.set('content-type', 'application/json');
  return { response: new Response(read.content, { status: read.status, headers }), issued: read.issued };
}

/**
 * Rewrites a token endpoint's answer to RFC 6749. GitHub and Slack answer a refusal with status 200; Slack calls the
 * token's type "user" and may put it into `authed_user`. The refusal is named by the body, else by the challenge; a 401
 * without either, such as a page, refuses our client (RFC 6749 section 5.2). Members that we read ourselves are
 * removed: an odd lifetime or an identity token must not spoil a sign-in whose code is spent. Everything else is passed
 * on unchanged.
 */
export function readTokenAnswer(text: string, status = 200, challenge: string | null = null): Read {
  const body = parse(text);
  const challenged = bearerParameters(challenge);
  const named =
    nameOf(body?.['error']) ?? nameOf(challenged.get('error')) ?? (status === 401 ? 'invalid_client' : undefined);
  if (named !== undefined && (status !== 200 || body?.['access_token'] === undefined)) {
    const description = describe(body?.['error_description'] ?? challenged.get('error_description'));
    const content = {
      error: errors[named] ?? named,
      ...(description !== '' && { error_description: description }),
    };
    return { status: status === 200 ? 400 : status, content: JSON.stringify(content), isRefusal: true };
  }
  if (!body || status !== 200) return { status, content: text };
  const isSlack = body['ok'] === true;
  const members = isSlack && body['access_token'] === undefined ? asRecord(body['authed_user']) : body;
  const { expires_in: expiresIn, id_token: idToken, ...token } = withoutNullMembers(members ?? {});
  const { access_token: accessToken, refresh_token: refreshToken, scope } = token;
  const content = JSON.stringify({ ...token, ...(isSlack && { token_type: 'Bearer' }) });
  if (typeof accessToken !== 'string') return { status, content };
  const issued = {
    accessToken,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
    expiresIn,
    scope: typeof scope === 'string' ? scope : undefined,
    claims: typeof idToken === 'string' ? claimsOf(idToken) : undefined,
  };
  return { status, content, issued };
}

const nameOf = (error: unknown) => (typeof error === 'string' && error !== '' ? error : undefined);

const describe = (text: unknown) => (typeof text === 'string' ? cleanLabel(text, maxDescriptionCharacters) : '');

function claimsOf(idToken: string): Record<string, unknown> | undefined {
  return parse(Buffer.from(idToken.split('.', 2)[1] ?? '', 'base64url').toString());
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}
