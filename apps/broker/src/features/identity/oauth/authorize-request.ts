import { mcpScopes } from '@souk/contract/identity.ts';
import type { Resources } from './resources.ts';

export const allMcpScopes = mcpScopes.join(' ');

const isMcpScope = (scope: string): boolean => mcpScopes.some((one) => one === scope);

/**
 * What clients ask for that know no scope of the link: a longer sign-in, OpenID's claims that we do not have, and
 * claude.ai's own word. Everybody's refresh token is the same, so that nothing is lost by dropping them.
 */
const emptyWords: ReadonlySet<string> = new Set(['offline_access', 'address', 'phone', 'claudeai']);

/** What a client may ask for; everything but the three scopes of the product is for clients that speak OpenID. */
export const knownScopes: ReadonlySet<string> = new Set([...mcpScopes, 'openid', 'email', 'profile']);

/** Of OpenID alone: oidc-provider refuses a request that has one of them and does not ask for `openid`. */
const ofOpenId = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce'];

/** A mode that oidc-provider does not have: it refuses it, and answers the refusal as a query. */
const refusedMode = 'not_offered';

/**
 * Brings an authorization request into the words that oidc-provider is to judge, in place:
 * - resources in their one spelling;
 * - a scope of the link is asked for, or all of them are: without any, the token would open nothing. mcp-remote asks for
 *   none at all, n8n for `openid` alone, claude.ai for `claudeai` (docs/clients-results.md). The person decides at the consent;
 * - unknown scopes beside known ones are ignored, and the answer says what was granted (RFC 6749, section 3.3); unknown
 *   ones alone stay, to be refused as invalid_scope (`namesNoScope`);
 * - a parameter without a value counts as not sent, and one of OpenID alone is unknown, so ignored, in a request that does not ask
 *   for `openid` (RFC 6749, section 3.1): libraries for OpenID send a nonce with every request;
 * - select_account, which oidc-provider refuses, asks for nothing more: every consent names the account and offers another;
 * - answers come as a query only: a fragment or a form that posts itself would pass our tokens by pages of others.
 */
export function normalizeAuthorizeRequest(params: URLSearchParams, resources: Resources): void {
  dropUnstorable(params);
  const given = params.getAll('resource');
  params.delete('resource');
  for (const resource of given) params.append('resource', resources.canonical(resource));

  if (params.getAll('scope').length <= 1) {
    const scopes = splitWords(params.get('scope') ?? '').filter((scope) => !emptyWords.has(scope));
    const known = scopes.filter((scope) => knownScopes.has(scope));
    params.set('scope', (scopes.length > 0 && known.length === 0 ? scopes : withLink(known)).join(' '));
  }

  const asksForIdentity = params.getAll('scope').some((scope) => splitWords(scope).includes('openid'));
  if (!asksForIdentity) for (const name of ofOpenId) params.delete(name);

  if (params.getAll('prompt').length === 1) {
    const prompts = splitWords(params.get('prompt') ?? '').filter((prompt) => prompt !== 'select_account');
    if (prompts.length === 0) params.delete('prompt');
    else params.set('prompt', prompts.join(' '));
  }

  const mode = params.get('response_mode');
  if (mode === '') params.delete('response_mode');
  else if (mode !== null && mode !== 'query') params.set('response_mode', refusedMode);
}

/** Returns the form as it was sent: repeated fields stay repeated, which oidc-provider refuses as RFC 6749 wants. */
export function formText(body: unknown): string {
  const form = new URLSearchParams();
  if (typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body)) {
      for (const one of Array.isArray(value) ? value : [value]) form.append(name, String(one));
    }
  }
  dropUnstorable(form);
  return form.toString();
}

/** Drops values with NUL, which no database text contains: a required value is then reported as missing, in OAuth's words. */
function dropUnstorable(params: URLSearchParams): void {
  const unstorable = [...params].filter(([name, value]) => name.includes('\0') || value.includes('\0'));
  for (const [name] of unstorable) params.delete(name);
}

/** Whether a request asks for nothing that there is. */
export function namesNoScope(scope: unknown): boolean {
  return typeof scope === 'string' && !splitWords(scope).some((one) => knownScopes.has(one));
}

function withLink(scopes: readonly string[]): readonly string[] {
  return scopes.some(isMcpScope) ? scopes : [...scopes, ...mcpScopes];
}

/** A refresh that names no scope of the link means what was granted: a narrower token would open nothing. */
export function normalizeRefreshScope(form: URLSearchParams): void {
  const named = form.getAll('scope');
  if (named.length === 1 && !splitWords(named[0] ?? '').some(isMcpScope)) form.delete('scope');
}

function splitWords(text: string): string[] {
  return [...new Set(text.split(' ').filter((one) => one !== ''))];
}
