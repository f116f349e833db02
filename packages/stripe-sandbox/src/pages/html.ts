/** Safe HTML. */
export type Html = { readonly html: string };
type Part = Html | string | number | undefined | readonly Html[];

/** Escapes text between tags and in quoted attributes, but not nested HTML of ours. Control characters become spaces. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return { html: strings.map((text, index) => (index === 0 ? text : toText(parts[index - 1]) + text)).join('') };
}

function toText(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'object') return 'html' in part ? part.html : part.map((each) => each.html).join('');
  return String(part)
    .replace(/[\p{Cc}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, ' ')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Icon of a card; the pages' content security policy allows only data URLs as images. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#4338ca"/>' +
    '<path d="M7 11h18v11H7zM7 15h18" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>',
)}`;

/** Renders a whole document with the sandbox banner. */
export function page(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} - Sandbox</title>
        <link rel="icon" href="${icon}" />
        <link rel="stylesheet" href="/dev-stripe/styles.css" />
      </head>
      <body>
        <header class="banner"><strong>SANDBOX - no money moves.</strong> Never enter a real card here.</header>
        <main>${body}</main>
      </body>
    </html> `.html;
}

/** Formats minor units like the shop: whole units have no zeros. */
export function money(amount: number, currency: string): string {
  const code = currency.toUpperCase();
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: code,
    trailingZeroDisplay: 'stripIfInteger',
  });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
