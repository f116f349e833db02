import type { Mail } from '#adapters/mail/smtp-mailer.ts';
import type { Query } from '#platform/db/database.ts';
import type { ClaimedNotice } from '../notice-store.ts';
import { readSwitchedOff } from '../notice-switches.ts';
import type { UnsubscribeLinks } from '../unsubscribe/unsubscribe-links.ts';
import { sayNotice } from '../words/say-notice.ts';
import { unsubscription, writeMail, type Shop } from './write-mail.ts';

export type MailParts = {
  query: Query;
  shop: Shop;
  links: UnsubscribeLinks;
  /** Returns a user's address; undefined for an account that is deleted or deactivated. */
  addressOf(userId: string): Promise<string | undefined>;
};

/** Writes the mail of a notice, or returns why there is none. */
export async function mailOfNotice(
  { query, shop, links, addressOf }: MailParts,
  { key, userId, kind, facts, address }: Omit<ClaimedNotice, 'createdAt' | 'attempts'>,
): Promise<Mail | 'unwanted' | 'no_recipient'> {
  if (kind === undefined || kind === 'alert') return 'no_recipient';
  const write = (to: string, of: string) =>
    writeMail(shop, { to, key, words: sayNotice(kind, facts), ...unsubscription(shop, links, { userId: of, kind }) });
  // the account's data no longer exists
  if (kind === 'account_deleted') return address === undefined ? 'no_recipient' : write(address, '');
  if (userId === undefined) return 'no_recipient';
  if ((await readSwitchedOff(query, userId)).has(kind)) return 'unwanted';
  const to = await addressOf(userId);
  return to === undefined ? 'no_recipient' : write(to, userId);
}
