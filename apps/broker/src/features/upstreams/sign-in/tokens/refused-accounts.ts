import type { StoredAccount } from '../account-store.ts';
import type { SignInParts } from '../sign-in-parts.ts';

/** Refused accounts that are remembered. Others show as refused until their next sign-in. */
const maxRemembered = 10_000;

/**
 * Tracks accounts that their server refuses with a 401. Some servers do that temporarily, during a restart or under
 * load, so each call tries the stored secrets again, and an account that is accepted again is restored. Only the user,
 * or the authorization server that issued the tokens, can end a sign-in.
 */
export function createRefusedAccounts({ store, onChanged, log }: SignInParts) {
  const refused = new Set<string>();
  const keyOf = (userId: string, serverId: string) => `${userId} ${serverId}`;
  return {
    /** Marks an account that the server has refused twice in a row. */
    async refuse(account: StoredAccount, reason: string): Promise<void> {
      if (await store.markRefused(account, reason)) await onChanged(account.userId, account.serverId);
    },
    /** Called when a call is about to use the account. */
    tried({ state, userId, serverId }: StoredAccount): void {
      if (state === 'needs-sign-in' && refused.size < maxRemembered) refused.add(keyOf(userId, serverId));
    },
    /** Restores a refused account that the server accepts again. */
    accepted(userId: string, serverId: string): void {
      if (!refused.delete(keyOf(userId, serverId))) return;
      store.markAccepted(userId, serverId).catch((error: unknown) => {
        log.warn(
          { err: error, server: serverId },
          'an account that works again could not be restored and still shows as refused',
        );
      });
    },
  };
}

export type RefusedAccounts = ReturnType<typeof createRefusedAccounts>;
