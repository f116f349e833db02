import { z } from 'zod';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { StoredAccount } from '../account-store.ts';
import { bindingSchema, type Binding } from './oauth-client.ts';
import { scopesOf } from '../issuers/read-challenge.ts';
import type { Issued } from './token-answer.ts';

const maxAccountNameCharacters = 200;
const offlineAccess = 'offline_access';

/** The sealed part of an OAuth account. */
export const sealedTokensSchema = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  binding: bindingSchema,
  /** The user's id at the authorization server, if it gave one: a refresh must not change it. */
  subject: z.string().optional(),
  /** Scope granted at the sign-in, which each refresh requests. Empty if the server accepts no scope at a refresh. */
  scope: z.string().optional(),
});
export type SealedTokens = z.output<typeof sealedTokensSchema>;

export function tokensOf(account: StoredAccount): SealedTokens {
  return sealedTokensSchema.parse(JSON.parse(account.open() ?? '{}'));
}

const sealedHeadersSchema = z.record(z.string(), z.string());

export function headersOf(account: StoredAccount): Record<string, string> {
  return sealedHeadersSchema.parse(JSON.parse(account.open() ?? '{}'));
}

/**
 * Returns the scope that a sign-in granted, for refreshes: the answer's, else the requested one (RFC 6749, section 5.1). A
 * server that grants offline access by issuing a refresh token need not list it.
 */
export function grantedScope({ scope }: Pick<Issued, 'scope'>, asked: readonly string[]): string {
  const answered = scopesOf(scope);
  if (answered.length === 0) return asked.join(' ');
  const isOffline = asked.includes(offlineAccess) && !answered.includes(offlineAccess);
  return [...answered, ...(isOffline ? [offlineAccess] : [])].join(' ');
}

/**
 * Returns the user's name at the authorization server if the answer includes an identity token for us. For display
 * only, never for decisions.
 */
export function accountNameOf(issued: Issued, binding: Binding): string | undefined {
  const claims = ourClaims(issued, binding);
  const hints = [claims?.['email'], claims?.['preferred_username'], claims?.['name']];
  const shown = hints.map((hint) => (typeof hint === 'string' ? cleanLabel(hint, maxAccountNameCharacters) : ''));
  return shown.find((text) => text !== '');
}

/** Returns the user's id at the authorization server, if the answer includes an identity token for us. */
export function subjectOf(issued: Issued, binding: Binding): string | undefined {
  const subject = ourClaims(issued, binding)?.['sub'];
  return typeof subject === 'string' && subject !== '' ? subject.slice(0, 255) : undefined;
}

/** Returns the claims if their issuer and audience match (OpenID Connect Core, 3.1.3.7); others do not describe these tokens. */
function ourClaims({ claims }: Issued, { server, client }: Binding): Issued['claims'] {
  const { iss, aud } = claims ?? {};
  const isForUs = aud === client.clientId || (Array.isArray(aud) && aud.includes(client.clientId));
  return iss === server.issuer && isForUs ? claims : undefined;
}
