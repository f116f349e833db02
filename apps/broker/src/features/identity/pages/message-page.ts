import { escapeHtml, renderPage } from '#platform/http/page.ts';

/**
 * A page that says one thing: an error, or that something is not there.
 * @param message.retry whether starting again may help: then that is the first way on
 */
export function renderMessagePage(message: {
  brandName: string;
  title: string;
  text: string;
  retry?: boolean;
}): string {
  const home = `Back to ${escapeHtml(message.brandName)}`;
  return renderPage({
    title: message.title,
    brandName: message.brandName,
    body: `<section class="card">
<h1>${escapeHtml(message.title)}</h1>
<p>${escapeHtml(message.text)}</p>
<p class="row">${message.retry === true ? '<a class="button primary" href="/sign-in">Sign in again</a>\n' : ''}<a class="button" href="/">${home}</a></p>
</section>`,
  });
}
