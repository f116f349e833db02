import type { Query } from '../db/database.ts';

/** Removes a deleted user's e-mail address from the audit log's reasons, and their network addresses, in the transaction of the deletion. */
export async function eraseInAudit(query: Query, { userId, email }: { userId: string; email: string }): Promise<void> {
  await query('select erase_address_in_audit($1)', [email]);
  await query('select erase_actor_in_audit($1)', [userId]);
}
