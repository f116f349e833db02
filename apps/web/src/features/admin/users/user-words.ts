import type { AdminUser } from '@souk/contract/admin/users.ts';
import { counted } from '#ui/text/amount.ts';

/** Returns the user name, or the part of the e-mail address before the @ (spec part 2, section 2). */
export function nameOf({ username, email }: Pick<AdminUser, 'username' | 'email'>): string {
  return username ?? (email.slice(0, Math.max(0, email.lastIndexOf('@'))) || email);
}

export function isFound(user: AdminUser, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return [user.email, nameOf(user)].some((part) => part.toLowerCase().includes(wanted));
}

export const connectedOf = ({ oauthConnections }: AdminUser): string[] =>
  Object.keys(oauthConnections).filter((id) => oauthConnections[id]?.connected);

export const creditsWord = (credits: number): string => counted(credits, 'credit');
