import { foldEmail } from '@souk/contract/fold-email.ts';
import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { deleteAccount, type DeletionParts } from '../account/delete-account.ts';
import { endAccess } from '../account/end-access.ts';
import type { Revocations } from '../revocations.ts';
import { roleOf } from './role.ts';
import type { StoredProvider } from './user-provider.ts';
import { isUuid } from './user-store.ts';

/** A plan or rental that ends because its person was shut out. */
export type EndingPaid = {
  id: string;
  name: string;
  endsAt: string | null;
  atProvider: 'none' | 'cancelled' | 'pending';
};
/** Ends what a person has paid for, with its period or now, of a feature above this one. May be asked again. */
export type EndPaid = (userId: string, when: { now: boolean }, by: DecidedBy) => Promise<EndingPaid[]>;

export type Deactivation = {
  /** Plans and rentals end now instead of with their paid period. */
  endNow: boolean;
  /** Another administrator is deactivated only with it. */
  confirmAdministrator: boolean;
};

/** What administrators, and the operator by commands, do with accounts. Each change has its audit row in its transaction. */
export type UserAdministration = {
  /**
   * Shuts a person out at once, everywhere: sign-ins, connected apps and what they run end for good, and personal tokens are
   * refused as long as this lasts. Asked again, it ends again what it could not end before.
   * @throws SoukError not_found, own_account, confirm_administrator
   */
  deactivate(
    userId: string,
    how: Deactivation,
    by: DecidedBy,
  ): Promise<{ result: 'deactivated' | 'unchanged'; ending: EndingPaid[] }>;
  /** Lets them sign in again; personal tokens that are neither revoked nor expired work again. @throws SoukError not_found */
  activate(userId: string, by: DecidedBy): Promise<{ result: 'activated' | 'unchanged' }>;
  /**
   * Deletes an account as its owner would.
   * @param confirm the account's address
   * @throws SoukError not_found, own_account, account_not_confirmed; the error of a contributor, and then nothing was deleted
   */
  erase(userId: string, confirm: string, by: DecidedBy): Promise<void>;
};

const noSuchUser = () => new SoukError('not_found', { message: 'There is no such user' });

export function createUserAdministration(parts: {
  deletion: DeletionParts;
  revocations: Pick<Revocations, 'announcePerson'>;
  providers: readonly StoredProvider[];
  adminEmails: readonly string[];
  endPaid: EndPaid;
  clock: Clock;
}): UserAdministration {
  const { deletion, providers, adminEmails, clock } = parts;
  const { db } = deletion;

  const audit = (
    query: Query,
    action: string,
    subject: string,
    by: DecidedBy,
    details: Record<string, unknown> = {},
  ) => {
    const entry = {
      actorId: actorOf(by),
      action,
      subject,
      reason: by.reason,
      details: { ...details, ...('operator' in by && { via: 'command' }), ...operatorOf(by) },
    };
    return writeAuditWith(query, entry, new Date(clock.now()));
  };

  /**
   * The account, whose row stays as it is until the transaction is over. The row of the administrator too: of two who
   * shut out each other at once, one finds that it is over. Both in one order, so that neither waits for ever.
   */
  async function hold(query: Query, userId: string, by: DecidedBy): Promise<{ email: string; isActive: boolean }> {
    if (!isUuid(userId)) throw noSuchUser();
    const actorId = actorOf(by);
    const { rows } = await query<{ id: string; email: string; is_active: boolean; is_here: boolean }>(
      `select id, email, is_active, deleted_at is null and exists (
         select from identities i where i.user_id = id and ($2::text[] is null or i.provider = any($2))) as is_here
       from users where id = any($1::uuid[]) order by id for update`,
      // the operator reaches the accounts of every provider
      [[userId, ...(actorId === undefined ? [] : [actorId])], actorId === undefined ? null : providers],
    );
    if (actorId !== undefined && !rows.some((row) => row.id === actorId && row.is_active)) {
      throw new SoukError('unauthenticated');
    }
    const found = rows.find((row) => row.id === userId.toLowerCase() && row.is_here);
    if (!found) throw noSuchUser();
    return { email: found.email, isActive: found.is_active };
  }

  function refuseOwn(userId: string, by: DecidedBy): void {
    if (actorOf(by) === userId.toLowerCase()) throw new SoukError('own_account');
  }

  return {
    async deactivate(userId, { endNow, confirmAdministrator }, by) {
      refuseOwn(userId, by);
      const { isNew, ended } = await db.transaction(async (query) => {
        // the row is held: a sign-in that comes meanwhile waits here and is then refused
        const { email, isActive } = await hold(query, userId, by);
        const isAdministrator = roleOf(email, adminEmails) === 'admin';
        if (isActive && isAdministrator && !confirmAdministrator) throw new SoukError('confirm_administrator');
        if (isActive) {
          await query('update users set is_active = false where id = $1', [userId]);
          await audit(query, 'user.deactivated', userId, by, { endNow });
        }
        return { isNew: isActive, ended: await endAccess(query, userId) };
      });
      await deletion.announceEnds(userId, ended);
      const ending = await parts.endPaid(userId, { now: endNow }, by);
      return { result: isNew ? 'deactivated' : 'unchanged', ending };
    },

    async activate(userId, by) {
      const isNew = await db.transaction(async (query) => {
        const { isActive } = await hold(query, userId, by);
        if (isActive) return false;
        await query('update users set is_active = true where id = $1', [userId]);
        await audit(query, 'user.activated', userId, by);
        return true;
      });
      await parts.revocations.announcePerson(userId, 'let in');
      return { result: isNew ? 'activated' : 'unchanged' };
    },

    async erase(userId, confirm, by) {
      refuseOwn(userId, by);
      await deleteAccount(deletion, userId, async (query) => {
        const { email } = await hold(query, userId, by);
        if (foldEmail(confirm.trim()) !== foldEmail(email)) throw new SoukError('account_not_confirmed');
        await audit(query, 'user.erased', userId, by);
      });
    },
  };
}
