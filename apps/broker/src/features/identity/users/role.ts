import { foldEmail } from '@souk/contract/fold-email.ts';

/**
 * Returns a user's role: ADMIN_EMAILS names the administrators. It is derived at every read, so a name removed from the
 * list loses the role with the next request. Every stored address was verified by the provider.
 */
export function roleOf(email: string, adminEmails: readonly string[]): 'user' | 'admin' {
  return adminEmails.includes(foldEmail(email)) ? 'admin' : 'user';
}
