import type { FastifyInstance } from 'fastify';
import type { Mail } from '#adapters/mail/smtp-mailer.ts';
import { escapeHtml, renderPage, sendPage } from '#platform/http/answers/page.ts';
import { mailOfAlert } from '../alerts/deliver-alert.ts';
import { mailOfNotice, type MailParts } from '../mail/mail-of-notice.ts';
import { listNewest, type ClaimedNotice } from '../notice-store.ts';

export const demoMailPath = '/dev-mail';
const shownAtMost = 50;

/** Replaces the address of a deleted account, which the demo does not store because it sends nothing. */
export const inDemo = (notice: ClaimedNotice): ClaimedNotice => ({
  ...notice,
  address: 'the address of the deleted account',
});

type Shown = { mail: Mail; createdAt: Date };

/**
 * Shows the demo's e-mails instead of sending them. Only mounted with the stand-in for sign-in, where anyone can sign in as
 * anyone. Each mail is written when the page is opened.
 */
export function mountDemoMails(
  server: FastifyInstance,
  parts: MailParts & { administrators: readonly string[] },
): void {
  server.get(demoMailPath, async (_request, reply) => {
    const shown: Shown[] = [];
    for (const notice of await listNewest(parts.query, shownAtMost)) {
      const mail =
        notice.kind === 'alert'
          ? mailOfAlert(parts.shop, notice, parts.administrators)
          : await mailOfNotice(parts, inDemo(notice));
      if (typeof mail !== 'string') shown.push({ mail, createdAt: notice.createdAt });
    }
    return sendPage(reply, 200, renderMails(parts.shop.brandName, shown));
  });
}

function renderMails(brandName: string, shown: readonly Shown[]): string {
  const none =
    '<p class="quiet">No e-mails yet. They appear here when, for example, a client signs in to your link for the first time, or a renewal cannot be charged.</p>';
  return renderPage({
    title: 'E-mails of the demo',
    brandName,
    width: 'wide',
    body: `<h1>E-mails of the demo</h1>
<p class="notice">DEMO - no e-mail is sent. These are the e-mails of all users. With SMTP_URL set, each user gets their own.</p>
${shown.length === 0 ? none : shown.map(renderMail).join('\n')}`,
  });
}

const renderMail = ({ mail, createdAt }: Shown): string => `<article class="card after">
<h2>${escapeHtml(mail.subject)}</h2>
<p class="quiet">To ${escapeHtml([mail.to].flat().join(', '))}, <time datetime="${createdAt.toISOString()}">${escapeHtml(createdAt.toUTCString())}</time></p>
${mail.text
  .split('\n')
  .map((line) => (line.trim() === '--' ? '' : `<p>${renderLine(line)}</p>`))
  .filter((line) => line !== '' && line !== '<p></p>')
  .join('\n')}
</article>`;

const renderLine = (line: string): string =>
  /^https?:\/\/\S+$/.test(line) ? `<a href="${escapeHtml(line)}">${escapeHtml(line)}</a>` : escapeHtml(line);
