import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorCatalogue, type ErrorCode } from '@souk/contract/errors.ts';
import { mcpScopes } from '@souk/contract/identity.ts';
import type { McpChallenge } from '#features/identity/index.ts';
import { escapeHtml, pagePolicy, renderPage } from '#platform/http/answers/page.ts';
import { sendAnswer } from '#platform/http/answers/send-answer.ts';

const allScopes = mcpScopes.join(' ');

/**
 * Answers 401 or 403 with the header that tells a client where to sign in (RFC 9728 section 5.1, RFC 6750 section 3).
 * @param metadataUrl the protected-resource metadata of exactly the link that was called
 * @param page HTML to send instead of JSON, for a browser
 */
export function sendChallenge(
  response: ServerResponse,
  challenge: McpChallenge,
  metadataUrl: string,
  page?: string,
): void {
  const fields = [
    `resource_metadata="${metadataUrl}"`,
    `scope="${challenge.scope ?? allScopes}"`,
    ...(challenge.error ? [`error="${challenge.error}"`] : []),
    ...(challenge.description ? [`error_description="${challenge.description.replaceAll(/["\\]/g, "'")}"`] : []),
  ];
  const headers = { 'www-authenticate': `Bearer ${fields.join(', ')}`, 'cache-control': 'no-store' };
  if (page !== undefined) return sendAnswer(response, challenge.status, { ...headers, ...pageHeaders }, page);
  const code: ErrorCode =
    challenge.status === 403 ? 'forbidden' : challenge.error ? 'unauthenticated' : 'authentication_required';
  const { message } = errorCatalogue[code];
  const body = JSON.stringify({ success: false, code, message });
  sendAnswer(response, challenge.status, { ...headers, 'content-type': 'application/json' }, body);
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy(),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
};

/** Whether a user opened the link in a browser: MCP clients do not ask for HTML. */
export function isOpenedInBrowser({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'GET' && headers.authorization === undefined && headers.accept?.includes('text/html') === true;
}

export function renderLinkPage(publicUrl: string, brandName: string): string {
  return renderPage({
    title: 'A link for AI clients',
    brandName,
    body: `<section class="card">
<h1>A link for AI clients</h1>
<p>This link is for your AI client, not for a browser. Paste it into Claude, ChatGPT, VS Code or any MCP client.</p>
<div class="row">
<a class="button primary" href="${escapeHtml(publicUrl)}/dashboard">Open your dashboard</a>
</div>
</section>`,
  });
}
