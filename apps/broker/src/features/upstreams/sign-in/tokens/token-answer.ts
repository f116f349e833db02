import { cleanLabel } from '#platform/text/clean-label.ts';
import { bearerParameters } from '#platform/http/outgoing/challenge-header.ts';
import { withoutNullMembers } from '#platform/http/outgoing/without-null-members.ts';
import { asRecord } from '#platform/json.ts';

/** The standard's words (RFC 6749 section 5.2) for what GitHub and Slack say. */
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

/** Of what a server says about its refusal. */
const longestDescription = 200;

/** What a token endpoint has issued, however odd the rest of its answer is: what cannot be kept is revoked. */
export type Issued = {
  accessToken: string;
  refreshToken: string | undefined;
  /** As it stands in the answer: any value. */
  expiresIn: unknown;
  /** What was granted, as it stands in the answer. A server may leave it out where it granted what was asked for. */
  scope: string | undefined;
  /** The claims of an identity token that came with it. Nobody has signed them for us. */
  claims: Readonly<Record<string, unknown>> | undefined;
};

type Read = { status: number; content: string; isRefusal?: boolean; issued?: Issued };

/** A token endpoint's answer as openid-client reads it, without a challenge, which it would take for another failure. */
export async function asTokenAnswer(answer: Response): Promise<{ response: Response; issued: Issued | undefined }> {
  const read = readTokenAnswer(await answer.text(), answer.status, answer.headers.get('www-authenticate'));
  const headers = new Headers(answer.headers);
  headers.delete('www-authenticate');
  if (read.isRefusal === true) headers.set('content-type', 'application/json');
  return { response: new Response(read.content, { status: read.status, headers }), issued: read.issued };
}

/**
 * A token endpoint's answer as RFC 6749 has it. GitHub and Slack answer a refusal with status 200; Slack calls the token's
 * type "user" and may put it beneath `authed_user`. A refusal is what its body names, else its challenge; a 401 that names
 * nothing, such as a page, refuses our client (RFC 6749 section 5.2). Members that we read ourselves are taken out: an odd
 * lifetime or an identity token must not spoil a sign-in whose code is spent. Everything else is passed on as it came.
 */
export function readTokenAnswer(text: string, status = 200, challenge: string | null = null): Read {
  const body = parse(text);
  const said = bearerParameters(challenge);
  const named = nameOf(body?.['error']) ?? nameOf(said.get('error')) ?? (status === 401 ? 'invalid_client' : undefined);
  if (named !== undefined && (status !== 200 || body?.['access_token'] === undefined)) {
    const description = describe(body?.['error_description'] ?? said.get('error_description'));
    const content = {
      error: errors[named] ?? named,
      ...(description !== '' && { error_description: description }),
    };
    return { status: status === 200 ? 400 : status, content: JSON.stringify(content), isRefusal: true };
  }
  if (!body || status !== 200) return { status, content: text };
  const isSlacks = body['ok'] === true;
  const beneath = isSlacks && body['access_token'] === undefined ? asRecord(body['authed_user']) : body;
  const { expires_in: expiresIn, id_token: idToken, ...token } = withoutNullMembers(beneath ?? {});
  const { access_token: accessToken, refresh_token: refreshToken, scope } = token;
  const content = JSON.stringify({ ...token, ...(isSlacks && { token_type: 'Bearer' }) });
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

const describe = (text: unknown) => (typeof text === 'string' ? cleanLabel(text, longestDescription) : '');

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
