import { escapeHtml, renderPage } from '#platform/http/page.ts';

/**
 * A page that says one thing: an error, or that something is not there.
 * @param message.again what to call the way to start again, where that may help: then it is the first way on
 */
export function renderMessagePage(message: {
  brandName: string;
  title: string;
  text: string;
  again?: string | undefined;
}): string {
  const again =
    message.again === undefined ? '' : `<a class="button primary" href="/sign-in">${escapeHtml(message.again)}</a>\n`;
  const home = `Back to ${escapeHtml(message.brandName)}`;
  return renderPage({
    title: message.title,
    brandName: message.brandName,
    body: `<section class="card">
<h1>${escapeHtml(message.title)}</h1>
<p>${escapeHtml(message.text)}</p>
<div class="row">
${again}<a class="button" href="/">${home}</a>
</div>
</section>`,
  });
}
