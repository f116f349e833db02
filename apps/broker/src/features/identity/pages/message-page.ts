import { escapeHtml, renderPage } from '#platform/http/page.ts';

/** A page that says one thing: an error, or that something is not there. */
export function renderMessagePage(message: { brandName: string; title: string; text: string }): string {
  return renderPage({
    title: message.title,
    brandName: message.brandName,
    body: `<section class="card">
<h1>${escapeHtml(message.title)}</h1>
<p>${escapeHtml(message.text)}</p>
<a class="button" href="/">Back to ${escapeHtml(message.brandName)}</a>
</section>`,
  });
}
