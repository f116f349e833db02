import { monotonicMs } from '#platform/clock.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { StoredAccount } from '../account-store.ts';
import { refresh, type ServerAt } from './refresh-account.ts';
import type { RefusedAccounts } from './refused-accounts.ts';
import type { SignInParts } from '../sign-in-parts.ts';
import { tokensOf, type SealedTokens } from './tokens.ts';

/** Time before expiry at which tokens are refreshed, so that they do not expire during a call. */
const refreshAheadMs = 60_000;
/** Time after which a replica that claimed a refresh and has not finished it is considered crashed. */
const refreshTimeoutMs = 20_000;
const pollMs = 50;

/** Keeps tokens fresh. When several calls need a refresh concurrently, on any replica, one does it and the others wait. */
export function createFreshTokens(parts: SignInParts, refusedAccounts: RefusedAccounts) {
  const { store, clock } = parts;
  const underWay = new Map<string, Promise<SealedTokens | undefined>>();

  async function find(
    userId: string,
    { server: { id: serverId }, address: { url } }: ServerAt,
  ): Promise<StoredAccount> {
    const account = await store.find(userId, serverId);
    // A token is only sent to the address that it was issued for: another address may belong to another party.
    if (account?.kind !== 'oauth' || !account.hasSecrets || account.boundTo !== url) {
      throw new UpstreamError('sign_in_required', `${serverId} needs the person's own sign-in`);
    }
    refusedAccounts.tried(account);
    return account;
  }

  function refreshOnce(account: StoredAccount, at: ServerAt): Promise<SealedTokens | undefined> {
    const key = `${account.id} ${account.version}`;
    const running = underWay.get(key);
    if (running) return running;
    const work = refreshSomewhere(account, at).finally(() => underWay.delete(key));
    underWay.set(key, work);
    return work;
  }

  /** Refreshes on this replica, or waits for the one that claimed the refresh first. */
  async function refreshSomewhere(account: StoredAccount, at: ServerAt): Promise<SealedTokens | undefined> {
    const { userId, serverId, id, version } = account;
    const deadlineMs = monotonicMs(clock) + refreshTimeoutMs;
    for (;;) {
      if (await store.claimRefresh(account, new Date(clock.now() + refreshTimeoutMs))) {
        return refresh(account, at, parts);
      }
      const latest = await store.find(userId, serverId);
      if (latest?.id !== id || !latest.hasSecrets) return undefined;
      if (latest.version !== version) return tokensOf(latest);
      if (monotonicMs(clock) > deadlineMs)
        throw new UpstreamError('unreachable', 'another replica does not finish its refresh');
      // polls until the other replica has stored the new tokens
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  return {
    /**
     * Returns the user's access token for a server, refreshed when it is about to expire.
     * @throws UpstreamError sign_in_required when there is none for this address; unreachable when it has expired and the
     *   authorization server does not answer
     */
    async current(userId: string, at: ServerAt): Promise<string> {
      const account = await find(userId, at);
      const tokens = tokensOf(account);
      const leftMs = (account.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - clock.now();
      if (leftMs > refreshAheadMs || (leftMs > 0 && tokens.refreshToken === undefined)) return tokens.accessToken;
      try {
        const refreshed = await refreshOnce(account, at);
        if (refreshed) return refreshed.accessToken;
      } catch (error) {
        // The old token is still valid, so a brief failure of the authorization server need not fail a call.
        if (leftMs > 0) return tokens.accessToken;
        throw error;
      }
      throw new UpstreamError('sign_in_required', `the sign-in to ${at.server.id} has ended`);
    },

    /** Returns a token in place of `refused`; undefined if a new sign-in is needed, as the account then states. */
    async renew(userId: string, at: ServerAt, refused: string): Promise<string | undefined> {
      const account = await find(userId, at);
      const tokens = tokensOf(account);
      if (tokens.accessToken !== refused) return tokens.accessToken;
      // the stored token was refused before, and not every call may cause a refresh
      if (account.state !== 'signed-in') return undefined;
      // the refusal may be temporary, and no other token can be obtained
      if (tokens.refreshToken === undefined) return refused;
      return (await refreshOnce(account, at))?.accessToken;
    },

    /** Marks the account after the server refused the renewed token too. */
    async giveUp(userId: string, serverId: string, refused: string): Promise<void> {
      const account = await store.find(userId, serverId);
      if (account?.kind !== 'oauth' || account.state !== 'signed-in') return;
      if (tokensOf(account).accessToken !== refused) return;
      await refusedAccounts.refuse(account, 'The server refuses the sign-in.');
    },
  };
}

export type FreshTokens = ReturnType<typeof createFreshTokens>;
