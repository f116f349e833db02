import { z } from 'zod';
import { foldEmail } from '@souk/contract/fold-email.ts';

export type StandInAccount = { email: string; name: string; note?: string };

export const namedAccounts: readonly StandInAccount[] = [
  { email: 'admin@souk.test', name: 'Ada Admin', note: 'administrator' },
  { email: 'bea@souk.test', name: 'Bea Buyer' },
  { email: 'carl@souk.test', name: 'Carl Coder' },
];

/** Names a stand-in account: an unlisted one by the part of its address before the @. */
export function standInName(email: string): string {
  return namedAccounts.find((account) => account.email === email)?.name ?? email.split('@')[0] ?? email;
}

export const standInEmailSchema = z
  .string()
  .trim()
  .transform(foldEmail)
  .pipe(z.string().max(200))
  .pipe(z.email('Please type an e-mail address.'));
