import { withoutNullMembers } from '#platform/http/without-null-members.ts';
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

/**
 * A token endpoint's answer as RFC 6749 has it. GitHub and Slack answer a refusal with status 200; Slack calls the token's
 * type "user" and may put it beneath `authed_user`. Everything else is passed on as it came.
 */
export async function asTokenAnswer(answer: Response): Promise<Response> {
  if (answer.status !== 200) return answer;
  const { status, content } = readTokenAnswer(await answer.text());
  return new Response(content, { status, headers: answer.headers });
}

export function readTokenAnswer(text: string): { status: number; content: string } {
  const body = parse(text);
  if (!body) return { status: 200, content: text };
  const { error, ok } = body;
  if (typeof error === 'string' && body['access_token'] === undefined) {
    const content = { error: errors[error] ?? error, error_description: `the server says ${error}` };
    return { status: 400, content: JSON.stringify(content) };
  }
  if (ok !== true) return { status: 200, content: text };
  const token = body['access_token'] === undefined ? asRecord(body['authed_user']) : body;
  return { status: 200, content: JSON.stringify({ ...withoutNullMembers(token ?? {}), token_type: 'Bearer' }) };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}
