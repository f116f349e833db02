import { createHash } from 'node:crypto';
import { personNotices, type PersonNotice } from '@souk/contract/notices.ts';
import type { Mail } from '#adapters/mail/smtp-mailer.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { escapeHtml } from '#platform/http/answers/page.ts';
import type { UnsubscribeLinks } from '../unsubscribe/unsubscribe-links.ts';
import type { Words } from '../words/say-notice.ts';

export type Shop = { publicUrl: string; brandName: string; supportEmail: string };

type Part = { text: string } | { label: string; href: string };

/** Writes a mail as plain text and as simple HTML with the same content. */
export function writeMail(
  shop: Shop,
  {
    to,
    key,
    words,
    footer,
    headers,
  }: { to: Mail['to']; key: string; words: Words; footer: readonly Part[]; headers: Mail['headers'] },
): Mail {
  const { action } = words;
  const link = action && { label: action.label, href: `${shop.publicUrl}${action.path}` };
  const body: Part[] = [...words.paragraphs.map((text) => ({ text })), ...(link ? [link] : [])];
  return {
    to,
    subject: cleanLabel(words.subject, 150),
    text: textOf(body, footer),
    html: htmlOf(shop, body, footer),
    messageId: `<${createHash('sha256').update(key).digest('hex').slice(0, 32)}@${new URL(shop.publicUrl).hostname}>`,
    headers,
  };
}

/** Returns the end of a mail, and the headers by which mail programs unsubscribe. */
export function unsubscription(
  shop: Shop,
  links: UnsubscribeLinks,
  { userId, kind }: { userId: string; kind: PersonNotice },
): { footer: readonly Part[]; headers: Mail['headers'] } {
  const from = { text: `${shop.brandName}, ${shop.publicUrl}. Questions? Write to ${shop.supportEmail}.` };
  if (personNotices[kind].isDuty) {
    const why = 'This e-mail is about your money or the safety of your account, so it cannot be switched off.';
    return { footer: [{ text: why }, from], headers: {} };
  }
  const href = links.linkFor({ userId, kind });
  return {
    footer: [
      { label: 'Stop e-mails like this one', href },
      { label: 'Choose your e-mails', href: `${shop.publicUrl}/dashboard?tab=profile` },
      from,
    ],
    headers: { 'List-Unsubscribe': `<${href}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  };
}

/** Removes characters that end a line or reverse the text. */
const plain = (part: Part): string => ('href' in part ? `${part.label}:\n${part.href}` : cleanLabel(part.text, 2000));

const textOf = (body: readonly Part[], footer: readonly Part[]): string =>
  `${body.map(plain).join('\n\n')}\n\n-- \n${footer.map(plain).join('\n')}\n`;

const markup = (part: Part): string =>
  'href' in part
    ? `<p><a href="${escapeHtml(part.href)}">${escapeHtml(part.label)}</a></p>`
    : `<p>${escapeHtml(part.text)}</p>`;

const htmlOf = (shop: Shop, body: readonly Part[], footer: readonly Part[]): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(shop.brandName)}</title></head>
<body style="font: 16px/1.5 sans-serif; max-width: 36em; margin: 1em auto; padding: 0 1em">
${body.map(markup).join('\n')}
<hr>
<div style="font-size: 14px; opacity: 0.8">
${footer.map(markup).join('\n')}
</div>
</body>
</html>
`;
