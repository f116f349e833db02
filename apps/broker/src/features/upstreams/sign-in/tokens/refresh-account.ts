import * as oidc from 'openid-client';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { ServerManifest } from '#features/catalogue/index.ts';
import type { StoredAccount } from '../account-store.ts';
import { mayUse } from '../issuers/known-issuer.ts';
import { obtainTokens } from './obtain-tokens.ts';
import { secondsAfter } from './plain-values.ts';
import { readRefusal, refusesScope } from './read-refusal.ts';
import { forgetRegistration } from '../client/registrations.ts';
import { revokeTokens } from './revoke-tokens.ts';
import type { SignInAddress } from '../sign-in-address.ts';
import { withSignInFetch, type SignInFetch } from '../sign-in-fetch.ts';
import type { SignInParts } from '../sign-in-parts.ts';
import { UnusableTokens } from '../sign-in-problem.ts';
import type { Issued } from './token-answer.ts';
import { subjectOf, tokensOf, type SealedTokens } from './tokens.ts';

/** A server at its current address. */
export type ServerAt = { server: ServerManifest; address: SignInAddress };

/**
 * Refreshes at the token endpoint that the refresh token is bound to, without a new discovery (vercel/ai #15963). Asks
 * for the granted scope, since some servers issue a narrower token to a refresh that names none.
 * @returns undefined if the sign-in has ended, as the account then states
 * @throws UpstreamError unreachable
 */
export async function refresh(
  account: StoredAccount,
  { server, address }: ServerAt,
  parts: SignInParts,
): Promise<SealedTokens | undefined> {
  const before = tokensOf(account);
  const { refreshToken, binding, scope = account.scopes.join(' ') } = before;
  if (refreshToken === undefined) {
    await endAccount(account, 'The sign-in has ended.', parts);
    return undefined;
  }
  if (!(await mayUse(server, binding, parts))) {
    await endAccount(account, 'Its sign-in provider has changed: sign in again.', parts);
    return undefined;
  }
  // Without a new refresh token the old one can be used again; a revocation might end it.
  const revoke = (issued: Issued) => {
    if (issued.refreshToken === undefined || issued.refreshToken === refreshToken) return;
    revokeTokens(server, issued, binding, address, parts);
  };
  const ask = (fetch: SignInFetch, wanted: string) => {
    const named: Record<string, string> = { resource: binding.resource };
    if (wanted !== '') named['scope'] = wanted;
    const grant = (configuration: oidc.Configuration) => oidc.refreshTokenGrant(configuration, refreshToken, named);
    return obtainTokens({ binding, fetch, grant, revoke }, (issued) =>
      keep(issued, { ...before, refreshToken, scope: wanted }, { account, at: { server, address }, parts }),
    );
  };
  try {
    return await withSignInFetch(address, async (fetch) => {
      try {
        return await ask(fetch, scope);
      } catch (error) {
        if (scope === '' || !refusesScope(error)) throw error;
        return await ask(fetch, '');
      }
    });
  } catch (error) {
    return failed(error, account, parts);
  }
}

/** Stores the new tokens. Returns undefined, and revokes them, when the user has disconnected or signed in again meanwhile. */
async function keep(
  issued: Issued,
  { refreshToken, binding, subject, scope }: SealedTokens,
  { account, at, parts }: { account: StoredAccount; at: ServerAt; parts: SignInParts },
): Promise<SealedTokens | undefined> {
  const now = subjectOf(issued, binding);
  if (subject !== undefined && now !== undefined && subject !== now) {
    throw new UnusableTokens("it answered with another user's account");
  }
  const tokens: SealedTokens = {
    accessToken: issued.accessToken,
    // A server that does not rotate refresh tokens sends none: the old one stays valid.
    refreshToken: issued.refreshToken ?? refreshToken,
    binding,
    ...(subject !== undefined && { subject }),
    // not the scope of this answer: a refresh token keeps the scope of its sign-in (RFC 6749, section 6)
    ...(scope !== undefined && { scope }),
  };
  const expiresAt = secondsAfter(parts.clock.now(), issued.expiresIn);
  if (await parts.store.storeRefreshed(account, { secrets: JSON.stringify(tokens), expiresAt })) return tokens;
  revokeTokens(at.server, tokens, binding, at.address, parts);
  return undefined;
}

/**
 * Ends the account, with the reason, if it can no longer be used.
 * @throws UpstreamError unreachable for other failures
 */
async function failed(error: unknown, account: StoredAccount, parts: SignInParts): Promise<undefined> {
  const { log, store } = parts;
  if (error instanceof UnusableTokens) {
    log.warn({ err: error, server: account.serverId }, 'a refresh answered with unusable tokens');
    await endAccount(account, `The sign-in has ended: ${error.message}.`, parts);
    return undefined;
  }
  const refusal = readRefusal(error);
  if (refusal) {
    log.info({ err: error, server: account.serverId }, 'a refresh was refused: a new sign-in is needed');
    if (refusal.isOfClient) await forgetRegistration(account.serverId, tokensOf(account).binding, parts.identity);
    const { said } = refusal;
    const why = said === undefined ? '' : ` The authorization server says: ${said}`;
    await endAccount(account, `The sign-in has ended or was withdrawn.${why}`, parts);
    return undefined;
  }
  log.warn({ err: error, server: account.serverId }, 'a refresh failed');
  await store.releaseRefresh(account);
  throw new UpstreamError('unreachable', 'the authorization server does not answer', { cause: error });
}

async function endAccount(account: StoredAccount, reason: string, parts: SignInParts): Promise<void> {
  if (await parts.store.markUseless(account, reason)) {
    await parts.onChanged(account.userId, account.serverId);
  }
}
