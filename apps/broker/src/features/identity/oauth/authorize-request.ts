import { mcpScopes } from '@souk/contract/identity.ts';
import type { Resources } from './resources.ts';

/** What a client may ask for; everything but the three scopes of the product is for clients that speak OpenID. */
const knownScopes: ReadonlySet<string> = new Set([...mcpScopes, 'openid', 'email', 'profile']);

/** A mode that oidc-provider does not have: it refuses it, and answers the refusal as a query. */
const refusedMode = 'not_offered';

/**
 * Brings an authorization request into the words that oidc-provider is to judge, in place:
 * - resources in their one spelling;
 * - no scope (mcp-remote), or offline_access alone, means all: without any, the token would open nothing;
 * - unknown scopes beside known ones are ignored, and the answer says what was granted (RFC 6749, section 3.3); unknown
 *   ones alone stay, to be refused as invalid_scope (`namesNoScope`);
 * - select_account, which oidc-provider refuses, asks for nothing more: every consent names the account and offers another;
 * - answers come as a query only: a fragment or a form that posts itself would pass our tokens by pages of others.
 */
export function normalizeAuthorizeRequest(params: URLSearchParams, resources: Resources): void {
  dropUnstorable(params);
  const given = params.getAll('resource');
  params.delete('resource');
  for (const resource of given) params.append('resource', resources.canonical(resource));

  if (params.getAll('scope').length <= 1) {
    const scopes = splitWords(params.get('scope') ?? '').filter((scope) => scope !== 'offline_access');
    const known = scopes.filter((scope) => knownScopes.has(scope));
    params.set('scope', (scopes.length === 0 ? mcpScopes : known.length === 0 ? scopes : known).join(' '));
  }

  if (params.getAll('prompt').length === 1) {
    const prompts = splitWords(params.get('prompt') ?? '').filter((prompt) => prompt !== 'select_account');
    if (prompts.length === 0) params.delete('prompt');
    else params.set('prompt', prompts.join(' '));
  }

  const mode = params.get('response_mode');
  if (mode !== null && mode !== 'query') params.set('response_mode', refusedMode);
}

/** Values with NUL, which no database text holds, count as not sent: what was needed is then missing, in OAuth's words. */
export function dropUnstorable(params: URLSearchParams): void {
  const unstorable = [...params].filter(([name, value]) => name.includes('\0') || value.includes('\0'));
  for (const [name] of unstorable) params.delete(name);
}

/** Whether a request asks for nothing that there is. */
export function namesNoScope(scope: unknown): boolean {
  return typeof scope === 'string' && !splitWords(scope).some((one) => knownScopes.has(one));
}

function splitWords(text: string): string[] {
  return [...new Set(text.split(' ').filter((one) => one !== ''))];
}
