import type { ServerResponse } from 'node:http';
import { errorCatalogue, type ErrorCode } from '@souk/contract/errors.ts';
import type { McpChallenge } from '#features/identity/index.ts';
import { sendAnswer } from '#platform/http/send-answer.ts';

const allScopes = 'mcp:tools mcp:prompts mcp:resources';

/**
 * 401 or 403 with the header from which a client finds the way to sign in (RFC 9728 section 5.1, RFC 6750 section 3).
 * `metadataUrl` is the protected-resource metadata of exactly the link that was called.
 */
export function sendChallenge(response: ServerResponse, challenge: McpChallenge, metadataUrl: string): void {
  const fields = [
    `resource_metadata="${metadataUrl}"`,
    `scope="${challenge.scope ?? allScopes}"`,
    ...(challenge.error ? [`error="${challenge.error}"`] : []),
    ...(challenge.description ? [`error_description="${challenge.description.replaceAll(/["\\]/g, "'")}"`] : []),
  ];
  const headers = {
    'www-authenticate': `Bearer ${fields.join(', ')}`,
    'content-type': 'application/json',
    'cache-control': 'no-store',
  };
  const code: ErrorCode =
    challenge.status === 403 ? 'forbidden' : challenge.error ? 'unauthenticated' : 'authentication_required';
  const { message } = errorCatalogue[code];
  sendAnswer(response, challenge.status, headers, JSON.stringify({ success: false, code, message }));
}
