import { errorCatalogue } from '@souk/contract/errors.ts';
import { escapeHtml, renderPage } from '#platform/http/answers/page.ts';

export type Message = {
  brandName: string;
  title: string;
  /** Says what happened and what the user can do. */
  text: string;
  /** Facts for support: an error code, a request id. */
  detail?: string | undefined;
  /** A better place to continue than home. */
  next?: { label: string; href: string } | undefined;
};

export const signInAgain = { label: 'Sign in again', href: '/sign-in' };

/** @param href the address that failed */
export const tryAgain = (href: string) => ({ label: 'Try again', href });

/** A database is unreachable only for a moment; afterwards the same request can continue. */
export const unavailableWords = { title: 'Not available right now', text: errorCatalogue.unavailable.message };

export function renderMessagePage({ brandName, title, text, detail, next }: Message): string {
  const first =
    next === undefined
      ? ''
      : `<a class="button primary" href="${escapeHtml(next.href)}">${escapeHtml(next.label)}</a>\n`;
  return renderPage({
    title,
    brandName,
    body: `<section class="card">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<div class="row">
${first}<a class="button" href="/">Back to ${escapeHtml(brandName)}</a>
</div>
${detail === undefined ? '' : `<p class="quiet after">${escapeHtml(detail)}</p>`}
</section>`,
  });
}
