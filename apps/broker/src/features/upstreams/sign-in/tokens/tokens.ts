import { z } from 'zod';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { StoredAccount } from '../account-store.ts';
import { bindingSchema, type Binding } from './oauth-client.ts';
import { scopesOf } from '../issuers/read-challenge.ts';
import type { Issued } from './token-answer.ts';

const longestAccountName = 200;
const offlineAccess = 'offline_access';

/** The sealed part of an OAuth account. */
export const sealedTokensSchema = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  binding: bindingSchema,
  /** Who the tokens are of at the authorization server, where it said so: a refresh must not change that. */
  subject: z.string().optional(),
  /** What was granted at the sign-in, which each refresh asks for again. Empty: the server takes no scope at a refresh. */
  scope: z.string().optional(),
});
export type SealedTokens = z.output<typeof sealedTokensSchema>;

export function tokensOf(account: StoredAccount): SealedTokens {
  return sealedTokensSchema.parse(JSON.parse(account.open() ?? '{}'));
}

export const sealedHeadersSchema = z.record(z.string(), z.string());

/**
 * What a sign-in has granted, as a refresh names it: what the answer says, else what was asked for (RFC 6749, section 5.1). A
 * server that grants offline access by issuing a refresh token need not list it.
 */
export function grantedScope({ scope }: Pick<Issued, 'scope'>, asked: readonly string[]): string {
  const answered = scopesOf(scope);
  if (answered.length === 0) return asked.join(' ');
  const isOffline = asked.includes(offlineAccess) && !answered.includes(offlineAccess);
  return [...answered, ...(isOffline ? [offlineAccess] : [])].join(' ');
}

/** Who the person is there, where the answer includes an identity token for us. Only to be shown, never to decide. */
export function accountNameOf(issued: Issued, binding: Binding): string | undefined {
  const claims = ourClaims(issued, binding);
  const hints = [claims?.['email'], claims?.['preferred_username'], claims?.['name']];
  const shown = hints.map((hint) => (typeof hint === 'string' ? cleanLabel(hint, longestAccountName) : ''));
  return shown.find((text) => text !== '');
}

/** The person's id there. */
export function subjectOf(issued: Issued, binding: Binding): string | undefined {
  const subject = ourClaims(issued, binding)?.['sub'];
  return typeof subject === 'string' && subject !== '' ? subject.slice(0, 255) : undefined;
}

/** An identity token of another issuer or for another client says nothing about these tokens (OpenID Connect Core, 3.1.3.7). */
function ourClaims({ claims }: Issued, { server, client }: Binding): Issued['claims'] {
  const { iss, aud } = claims ?? {};
  const isForUs = aud === client.clientId || (Array.isArray(aud) && aud.includes(client.clientId));
  return iss === server.issuer && isForUs ? claims : undefined;
}
