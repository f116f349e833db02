import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AlertMessage } from '#adapters/alerts/post-alert.ts';
import type { Mail } from '#adapters/mail/smtp-mailer.ts';
import { writeMail, type Shop } from '../mail/write-mail.ts';
import type { ClaimedNotice } from '../notice-store.ts';

const alertFacts = z.object({ cause: z.string(), text: z.string(), path: z.string() });

type AlertNotice = Pick<ClaimedNotice, 'key' | 'facts' | 'createdAt'>;

/** Returns an alert in the form of the operator's webhook. */
export function messageOfAlert(shop: Shop, { key, facts, createdAt }: AlertNotice): AlertMessage {
  const { cause, text, path } = alertFacts.parse(facts);
  const id = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return {
    id,
    shop: shop.publicUrl,
    cause,
    text: `${shop.brandName}: ${text}`,
    url: `${shop.publicUrl}${path}`,
    at: createdAt,
  };
}

/** Returns an alert as a mail to all administrators, who do not see each other's addresses. */
export function mailOfAlert(shop: Shop, { key, facts }: AlertNotice, administrators: readonly string[]): Mail {
  const { text, path } = alertFacts.parse(facts);
  return writeMail(shop, {
    to: administrators,
    key,
    words: { subject: `${shop.brandName}: ${text}`, paragraphs: [text], action: { label: 'Open', path } },
    footer: [{ text: `You get this as an administrator of ${shop.publicUrl} (ADMIN_EMAILS).` }],
    headers: {},
  });
}
