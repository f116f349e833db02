import type { Query } from '../db/database.ts';

/**
 * Replaces a deleted person's e-mail address in the reasons of the audit log, and forgets the network addresses that they acted
 * from, in the transaction of the deletion.
 */
export async function eraseInAudit(query: Query, { userId, email }: { userId: string; email: string }): Promise<void> {
  await query('select erase_address_in_audit($1)', [email]);
  await query('select erase_actor_in_audit($1)', [userId]);
}
