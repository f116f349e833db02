import { adminReason } from '@souk/contract/admin/users.ts';

/** Why the operator does something, for the audit log: bounded, and without hidden characters, as what administrators write. */
export const givenReason = adminReason;

export const reasonOfCommand = adminReason.transform((text) => text ?? 'by command');
