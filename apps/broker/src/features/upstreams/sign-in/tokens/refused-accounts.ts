import type { StoredAccount } from '../account-store.ts';
import type { SignInParts } from '../sign-in-parts.ts';

/** More people than are refused at once; one that is left out shows as refused until its next sign-in. */
const maxKept = 10_000;

/**
 * Accounts that their server refuses with a 401. Some servers do that now and then, while they restart or are loaded: each call tries
 * what is stored once more, and an account that is taken again is as before. Only the person, or the authorization server that
 * issued the tokens, ends a sign-in.
 */
export type RefusedAccounts = {
  /** The server has refused it twice in a row. */
  refuse(account: StoredAccount, reason: string): Promise<void>;
  /** A call is about to try the account. */
  tried(account: StoredAccount): void;
  accepted(userId: string, serverId: string): void;
};

export function createRefusedAccounts({ store, onChanged, log }: SignInParts): RefusedAccounts {
  const refused = new Set<string>();
  const keyOf = (userId: string, serverId: string) => `${userId} ${serverId}`;
  return {
    async refuse(account, reason) {
      if (await store.markRefused(account, reason)) await onChanged(account.userId, account.serverId);
    },
    tried({ state, userId, serverId }) {
      if (state === 'needs-sign-in' && refused.size < maxKept) refused.add(keyOf(userId, serverId));
    },
    accepted(userId, serverId) {
      if (!refused.delete(keyOf(userId, serverId))) return;
      store.markAccepted(userId, serverId).catch((error: unknown) => {
        log.warn({ err: error, server: serverId }, 'an account that works again still shows as refused');
      });
    },
  };
}
