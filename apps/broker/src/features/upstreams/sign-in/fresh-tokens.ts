import { monotonicMs } from '#platform/clock.ts';
import * as oidc from 'openid-client';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { StoredAccount } from './account-store.ts';
import type { SignInAddress } from './sign-in-address.ts';
import { mayUse } from './known-issuer.ts';
import { obtainTokens } from './obtain-tokens.ts';
import { secondsAfter } from './plain-values.ts';
import type { RefusedAccounts } from './refused-accounts.ts';
import { revokeTokens } from './revoke-tokens.ts';
import { withSignInFetch } from './sign-in-fetch.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { UnusableTokens } from './sign-in-problem.ts';
import type { Issued } from './token-answer.ts';
import { sealedTokensSchema, subjectOf, type SealedTokens } from './tokens.ts';

/** Tokens are refreshed this long before they expire, so that none expires during a call. */
const refreshAheadMs = 60_000;
/** A replica that has claimed a refresh and not finished by then has crashed. */
const refreshTimeoutMs = 20_000;
const askAgainMs = 50;

export type FreshTokens = {
  /**
   * The person's access token for a server, refreshed when it is about to expire.
   * @throws UpstreamError sign_in_required when there is none for this address; unreachable when it has expired and the
   *   authorization server does not answer
   */
  current(userId: string, serverId: string, address: SignInAddress): Promise<string>;
  /** A token in place of `refused`; undefined when a new sign-in is needed, which the account then says. */
  renew(userId: string, serverId: string, address: SignInAddress, refused: string): Promise<string | undefined>;
  /** The server refused the token that took the place of a refused one. */
  giveUp(userId: string, serverId: string, refused: string): Promise<void>;
};

/** Keeps tokens fresh. When several calls need a refresh at once, on any replica, one does it and the others wait. */
export function createFreshTokens(parts: SignInParts, refusedAccounts: RefusedAccounts): FreshTokens {
  const { store, clock } = parts;
  const underWay = new Map<string, Promise<SealedTokens | undefined>>();

  async function find(userId: string, serverId: string, { url }: SignInAddress): Promise<StoredAccount> {
    const account = await store.find(userId, serverId);
    // Never sent to another address than it was issued for: that server may belong to another party.
    if (account?.kind !== 'oauth' || !account.hasSecrets || account.boundTo !== url) {
      throw new UpstreamError('sign_in_required', `${serverId} needs the person's own sign-in`);
    }
    refusedAccounts.tried(account);
    return account;
  }

  function refreshOnce(account: StoredAccount, address: SignInAddress): Promise<SealedTokens | undefined> {
    const key = `${account.id} ${account.version}`;
    const running = underWay.get(key);
    if (running) return running;
    const work = refreshSomewhere(account, address).finally(() => underWay.delete(key));
    underWay.set(key, work);
    return work;
  }

  /** On this replica, or on the one that claimed the refresh first. */
  async function refreshSomewhere(account: StoredAccount, address: SignInAddress): Promise<SealedTokens | undefined> {
    const { userId, serverId, id, version } = account;
    const deadlineMs = monotonicMs(clock) + refreshTimeoutMs;
    for (;;) {
      if (await store.claimRefresh(account, new Date(clock.now() + refreshTimeoutMs))) {
        return refresh(account, address, parts);
      }
      const latest = await store.find(userId, serverId);
      if (latest?.id !== id || !latest.hasSecrets) return undefined;
      if (latest.version !== version) return tokensOf(latest);
      if (monotonicMs(clock) > deadlineMs)
        throw new UpstreamError('unreachable', 'another replica does not finish its refresh');
      await new Promise((resolve) => setTimeout(resolve, askAgainMs)); // polls until the other replica has stored the new tokens
    }
  }

  return {
    async current(userId, serverId, address) {
      const account = await find(userId, serverId, address);
      const tokens = tokensOf(account);
      const leftMs = (account.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - clock.now();
      if (leftMs > refreshAheadMs || (leftMs > 0 && tokens.refreshToken === undefined)) return tokens.accessToken;
      try {
        const refreshed = await refreshOnce(account, address);
        if (refreshed) return refreshed.accessToken;
      } catch (error) {
        // The old token is still valid: a brief failure of the authorization server need not fail a call.
        if (leftMs > 0) return tokens.accessToken;
        throw error;
      }
      throw new UpstreamError('sign_in_required', `the sign-in to ${serverId} has ended`);
    },

    async renew(userId, serverId, address, refused) {
      const account = await find(userId, serverId, address);
      const tokens = tokensOf(account);
      if (tokens.accessToken !== refused) return tokens.accessToken;
      // refused before: what is stored was tried, and each call must not cost a refresh
      if (account.state !== 'signed-in') return undefined;
      // it may have been a moment's refusal, and nothing could take the token's place
      if (tokens.refreshToken === undefined) return refused;
      return (await refreshOnce(account, address))?.accessToken;
    },

    async giveUp(userId, serverId, refused) {
      const account = await store.find(userId, serverId);
      if (account?.kind !== 'oauth' || account.state !== 'signed-in') return;
      if (tokensOf(account).accessToken !== refused) return;
      await refusedAccounts.refuse(account, 'The server refuses the sign-in.');
    },
  };
}

function tokensOf(account: StoredAccount): SealedTokens {
  return sealedTokensSchema.parse(JSON.parse(account.open() ?? '{}'));
}

/** Uses the refresh token at the token endpoint that it is bound to: nothing is discovered again (vercel/ai #15963). */
async function refresh(
  account: StoredAccount,
  address: SignInAddress,
  parts: SignInParts,
): Promise<SealedTokens | undefined> {
  const { store, clock } = parts;
  const { refreshToken, binding, subject } = tokensOf(account);
  if (refreshToken === undefined) {
    await endAccount(account, 'The sign-in has ended.', parts);
    return undefined;
  }
  if (!(await mayUse(account.serverId, binding, parts))) {
    await endAccount(account, 'Where people sign in to it has changed: sign in again.', parts);
    return undefined;
  }
  // Without a new refresh token the old one is good for another try, which a revocation might end.
  const giveBack = (issued: Issued) => {
    if (issued.refreshToken === undefined || issued.refreshToken === refreshToken) return;
    revokeTokens(account.serverId, issued, binding, address, parts);
  };
  try {
    return await withSignInFetch(address, async (fetch) => {
      const grant = (configuration: oidc.Configuration) =>
        oidc.refreshTokenGrant(configuration, refreshToken, { resource: binding.resource });
      return await obtainTokens({ binding, fetch, grant, giveBack }, async (issued) => {
        const now = subjectOf(issued, binding);
        if (subject !== undefined && now !== undefined && subject !== now) {
          throw new UnusableTokens('it answered with the account of somebody else');
        }
        const tokens: SealedTokens = {
          accessToken: issued.accessToken,
          // A server that does not rotate refresh tokens sends none: the old one stays valid.
          refreshToken: issued.refreshToken ?? refreshToken,
          binding,
          ...(subject !== undefined && { subject }),
        };
        const expiresAt = secondsAfter(clock.now(), issued.expiresIn);
        if (await store.storeRefreshed(account, { secrets: JSON.stringify(tokens), expiresAt })) return tokens;
        // The person disconnected or signed in again meanwhile: these tokens have no owner.
        revokeTokens(account.serverId, tokens, binding, address, parts);
        return undefined;
      });
    });
  } catch (error) {
    if (error instanceof UnusableTokens) {
      parts.log.warn({ err: error, server: account.serverId }, 'a refresh answered with what cannot be kept');
      await endAccount(account, `The sign-in has ended: ${error.message}.`, parts);
      return undefined;
    }
    if (isRefusal(error)) {
      parts.log.info({ err: error, server: account.serverId }, 'a refresh was refused: a new sign-in is needed');
      await endAccount(account, 'The sign-in has ended or was withdrawn.', parts);
      return undefined;
    }
    parts.log.warn({ err: error, server: account.serverId }, 'a refresh failed');
    await store.releaseRefresh(account);
    throw new UpstreamError('unreachable', 'the authorization server does not answer', { cause: error });
  }
}

/** Forgets secrets that no longer work, and tells who shows them. */
export async function endAccount(account: StoredAccount, reason: string, parts: SignInParts): Promise<void> {
  if (await parts.store.markUseless(account, reason)) {
    await parts.onChanged(account.userId, account.serverId);
  }
}

/** RFC 6749 section 5.2: the grant or the client is invalid for good; other errors may be temporary. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof oidc.ResponseBodyError &&
    ['invalid_grant', 'invalid_client', 'unauthorized_client'].includes(error.error)
  );
}
