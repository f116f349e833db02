import { mcpScopes } from '@souk/contract/identity.ts';
import type { Resources } from './resources.ts';

export const allMcpScopes = mcpScopes.join(' ');

const isMcpScope = (scope: string): boolean => mcpScopes.some((one) => one === scope);

/**
 * Scopes that clients request and that have no effect here. Every client gets the same refresh token, so dropping them
 * loses nothing.
 */
const ignoredScopes: ReadonlySet<string> = new Set(['offline_access', 'address', 'phone', 'claudeai']);

/** Scopes that a client may request. Those beyond our three are for clients that use OpenID. */
export const knownScopes: ReadonlySet<string> = new Set([...mcpScopes, 'openid', 'email', 'profile']);

/** Parameters of OpenID: oidc-provider refuses a request that has one of them without the scope `openid`. */
const ofOpenId = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce'];

/** A response mode that oidc-provider does not know: it refuses it, with an answer in the query. */
const refusedMode = 'not_offered';

/**
 * Rewrites an authorization request in place for oidc-provider:
 * - resources get their canonical spelling;
 * - a request that names none of our scopes asks for all of them: without any, the token would open nothing. mcp-remote
 *   names none, n8n only `openid`, claude.ai `claudeai` (docs/clients-results.md). The user decides at the consent;
 * - unknown scopes are dropped if there are known ones, and the answer says what was granted (RFC 6749, section 3.3);
 *   if all are unknown they stay, to be refused as invalid_scope (`namesNoScope`);
 * - a parameter without a value counts as not sent, and parameters of OpenID are dropped without the scope `openid`
 *   (RFC 6749, section 3.1): libraries for OpenID send a nonce with every request;
 * - select_account, which oidc-provider refuses, is dropped: every consent names the account and offers another;
 * - other response modes are refused: a fragment or a self-submitting form would pass our tokens through other pages.
 */
export function normalizeAuthorizeRequest(params: URLSearchParams, resources: Resources): void {
  dropUnstorable(params);
  const given = params.getAll('resource');
  params.delete('resource');
  for (const resource of given) params.append('resource', resources.canonical(resource));

  if (params.getAll('scope').length <= 1) {
    const scopes = splitWords(params.get('scope') ?? '').filter((scope) => !ignoredScopes.has(scope));
    const known = scopes.filter((scope) => knownScopes.has(scope));
    params.set('scope', (scopes.length > 0 && known.length === 0 ? scopes : withMcpScopes(known)).join(' '));
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

/** Whether a request names no scope that we know. */
export function namesNoScope(scope: unknown): boolean {
  return typeof scope === 'string' && !splitWords(scope).some((one) => knownScopes.has(one));
}

function withMcpScopes(scopes: readonly string[]): readonly string[] {
  return scopes.some(isMcpScope) ? scopes : [...scopes, ...mcpScopes];
}

/** A refresh that names none of our scopes means what was granted: a narrower token would open nothing. */
export function normalizeRefreshScope(form: URLSearchParams): void {
  const named = form.getAll('scope');
  if (named.length === 1 && !splitWords(named[0] ?? '').some(isMcpScope)) form.delete('scope');
}

function splitWords(text: string): string[] {
  return [...new Set(text.split(' ').filter((one) => one !== ''))];
}
