import { foldEmail } from '@souk/contract/fold-email.ts';

/**
 * The role of a user: administrators are named by ADMIN_EMAILS on the server. Derived at every read, so that a name taken
 * off the list is no administrator any more at the next request. Every stored address was verified by the provider.
 */
export function roleOf(email: string, adminEmails: readonly string[]): 'user' | 'admin' {
  return adminEmails.includes(foldEmail(email)) ? 'admin' : 'user';
}
