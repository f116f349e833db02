import type { AuditAction } from '@souk/contract/admin/audit-actions.ts';
import { foldEmail } from '@souk/contract/fold-email.ts';
import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import { writeAuditWith, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { deleteAccount, type DeletionParts } from '../account/delete-account.ts';
import { endAccess, endSignIns } from '../account/end-access.ts';
import type { Authorizations } from '../oauth/authorizations.ts';
import type { PersonalTokenStore } from '../tokens/personal-token-store.ts';
import { lockAccount } from './lock-account.ts';
import { roleOf } from './role.ts';
import type { StoredProvider } from './user-provider.ts';

/** A plan or rental that ends because its user was deactivated. */
export type EndingPaid = {
  id: string;
  name: string;
  endsAt: string | null;
  atProvider: 'none' | 'cancelled' | 'pending';
};
/** Ends what a user has paid for, now or with its period, in a feature above this one. May be repeated. */
export type EndPaid = (userId: string, when: { now: boolean }, by: DecidedBy) => Promise<EndingPaid[]>;

export type Deactivation = {
  /** End plans and rentals now instead of with their paid period. */
  endNow: boolean;
  /** Required to deactivate another administrator. */
  confirmAdministrator: boolean;
};

/** Actions of administrators and the operator on accounts. Each change writes its audit row in its transaction. */
export type UserAdministration = {
  /**
   * Shuts a user out at once, everywhere: sign-ins, connected apps and what they run end for good, and personal tokens
   * are refused while the user is deactivated. A repeated call ends what the previous one could not.
   * @throws SoukError not_found, own_account, confirm_administrator
   */
  deactivate(
    userId: string,
    how: Deactivation,
    by: DecidedBy,
  ): Promise<{ result: 'deactivated' | 'unchanged'; ending: EndingPaid[] }>;
  /** Allows sign-in again; valid personal tokens work again. @throws SoukError not_found */
  activate(userId: string, by: DecidedBy): Promise<{ result: 'activated' | 'unchanged' }>;
  /**
   * Signs a user out of every browser and disconnects their apps; they can sign in again. Personal tokens keep working
   * unless they are revoked too. @throws SoukError not_found, own_account
   */
  signOut(
    userId: string,
    how: { revokeTokens: boolean },
    by: DecidedBy,
  ): Promise<{ browsers: number; apps: number; tokens: number }>;
  /** Disconnects one app, or signs out one browser. @throws SoukError not_found */
  disconnectApp(userId: string, grantId: string, by: DecidedBy): Promise<void>;
  /** @throws SoukError not_found */
  revokeToken(userId: string, tokenId: string, by: DecidedBy): Promise<void>;
  recordExport(userId: string, by: DecidedBy): Promise<void>;
  /**
   * Deletes an account as its owner would.
   * @param confirm the account's address
   * @throws SoukError not_found, own_account, account_not_confirmed; a contributor's error: then nothing was deleted
   */
  erase(userId: string, confirm: string, by: DecidedBy): Promise<void>;
};

export function createUserAdministration(parts: {
  deletion: DeletionParts;
  authorizations: Pick<Authorizations, 'end'>;
  tokenStore: Pick<PersonalTokenStore, 'revoke'>;
  providers: readonly StoredProvider[];
  adminEmails: readonly string[];
  endPaid: EndPaid;
}): UserAdministration {
  const { deletion, providers, adminEmails } = parts;
  const { db, clock, revocations } = deletion;
  const audit = createAudit(clock);
  const lock = (query: Query, userId: string, by: DecidedBy) => lockAccount(query, userId, by, providers);

  return {
    async deactivate(userId, { endNow, confirmAdministrator }, by) {
      refuseOwn(userId, by);
      const { isNew, ended } = await db.transaction(async (query) => {
        // the row is locked: a sign-in that arrives meanwhile waits here and is then refused
        const { email, isActive } = await lock(query, userId, by);
        const isAdministrator = roleOf(email, adminEmails) === 'admin';
        if (isActive && isAdministrator && !confirmAdministrator) throw new SoukError('confirm_administrator');
        if (isActive) {
          await query('update users set is_active = false where id = $1', [userId]);
          await audit(query, 'user.deactivated', userId, by, { endNow });
        }
        return { isNew: isActive, ended: await endAccess(query, userId) };
      });
      await revocations.announceShutOut(userId, ended);
      const ending = await parts.endPaid(userId, { now: endNow }, by);
      return { result: isNew ? 'deactivated' : 'unchanged', ending };
    },

    async activate(userId, by) {
      const isNew = await db.transaction(async (query) => {
        const { isActive } = await lock(query, userId, by);
        if (isActive) return false;
        await query('update users set is_active = true where id = $1', [userId]);
        await audit(query, 'user.activated', userId, by);
        return true;
      });
      await revocations.announcePerson(userId, 'let in');
      return { result: isNew ? 'activated' : 'unchanged' };
    },

    async signOut(userId, { revokeTokens }, by) {
      refuseOwn(userId, by);
      const ended = await db.transaction(async (query) => {
        await lock(query, userId, by);
        const { grantIds, browsers } = await endSignIns(query, userId);
        const { rows: tokens } = await query<{ id: string }>(
          `update personal_tokens set revoked_at = $2 where $3 and user_id = $1 and revoked_at is null returning id`,
          [userId, new Date(clock.now()), revokeTokens],
        );
        const counts = { browsers, apps: grantIds.length - browsers, tokens: tokens.length };
        await audit(query, 'user.signed-out', userId, by, counts);
        return { counts, ids: [...grantIds, ...tokens.map(({ id }) => id)] };
      });
      await Promise.all(ended.ids.map((id) => revocations.announce(id)));
      return ended.counts;
    },

    async disconnectApp(userId, grantId, by) {
      const isEnded = await parts.authorizations.end(userId, grantId, {
        onEnded: async (query, { name, isBrowser }) =>
          audit(query, isBrowser ? 'user.browser-signed-out' : 'user.app-disconnected', userId, by, { name }),
      });
      if (!isEnded) throw new SoukError('not_found', { message: 'This user has no such app' });
    },

    async revokeToken(userId, tokenId, by) {
      await db.transaction(async (query) => {
        const prefix = await parts.tokenStore.revoke(userId, tokenId, new Date(clock.now()), query);
        if (prefix === undefined) throw new SoukError('not_found', { message: 'This user has no such token' });
        // not its name, in which the owner may have written their own
        await audit(query, 'user.token-revoked', userId, by, { prefix });
      });
      await revocations.announce(tokenId);
    },

    recordExport: (userId, by) => audit(db.query, 'user.exported', userId, by),

    async erase(userId, confirm, by) {
      refuseOwn(userId, by);
      const first = async (query: Query) => {
        const { email } = await lock(query, userId, by);
        if (foldEmail(confirm.trim()) !== foldEmail(email)) throw new SoukError('account_not_confirmed');
        await audit(query, 'user.erased', userId, by);
      };
      await deleteAccount(deletion, userId, { by: 'administrator', first });
    },
  };
}

function refuseOwn(userId: string, by: DecidedBy): void {
  if (actorOf(by) === userId.toLowerCase()) throw new SoukError('own_account');
}

const createAudit =
  (clock: Clock) =>
  (query: Query, action: AuditAction, subject: string, by: DecidedBy, details: Record<string, unknown> = {}) => {
    const entry: AuditEntry = {
      actorId: actorOf(by),
      action,
      subject,
      reason: by.reason,
      details: { ...details, ...('operator' in by && { via: 'command' }), ...operatorOf(by) },
    };
    return writeAuditWith(query, entry, new Date(clock.now()));
  };
