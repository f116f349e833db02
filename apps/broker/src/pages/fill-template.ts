import { escapeHtml, themePath } from '#platform/http/answers/page.ts';
import type { PageFacts, Summary } from './page-facts.ts';

const titleMark = '<title>Souk</title>';
const rootMark = '<div id="root"></div>';
const settingsMark = 'name="souk-config" content="{}"';

/** The picture of link previews. */
export const sharePath = '/share.png';

export type Site = {
  brandName: string;
  publicUrl: string;
  /** Read by the web app at its start. */
  settings: object;
};

/**
 * Splits the built index.html once, so that composing a page needs no search, and no name acts as a replacement pattern.
 * @throws Error unless the template has each mark exactly once
 */
export function createTemplate(html: string, site: Site): (facts: PageFacts) => string {
  const [beforeSettings, afterSettings] = cut(html, settingsMark);
  const [beforeTitle, afterTitle] = cut(afterSettings, titleMark);
  const [beforeRoot, afterRoot] = cut(afterTitle, rootMark);
  const settings = `name="souk-config" content="${escapeHtml(JSON.stringify(site.settings))}"`;
  const start = beforeSettings + settings + beforeTitle;
  return (facts) => start + head(facts, site) + beforeRoot + body(facts.summary, site) + afterRoot;
}

function cut(html: string, mark: string): [string, string] {
  const [before, after, ...more] = html.split(mark);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`index.html must contain ${mark} once`);
  return [before, after];
}

function head(facts: PageFacts, { brandName, publicUrl }: Site): string {
  const title = facts.title === undefined ? brandName : `${facts.title} - ${brandName}`;
  const lines = [`<title>${escapeHtml(title)}</title>`, `<script src="${themePath}"></script>`];
  const meta = (kind: 'name' | 'property', name: string, content: string) =>
    lines.push(`<meta ${kind}="${name}" content="${escapeHtml(content)}">`);
  const { description, canonicalPath } = facts;
  if (canonicalPath === undefined || description === undefined) {
    meta('name', 'robots', 'noindex');
    return lines.join('\n');
  }
  const address = publicUrl + canonicalPath;
  meta('name', 'description', description);
  lines.push(`<link rel="canonical" href="${escapeHtml(address)}">`);
  meta('property', 'og:type', 'website');
  meta('property', 'og:site_name', brandName);
  meta('property', 'og:title', facts.title ?? brandName);
  meta('property', 'og:description', description);
  meta('property', 'og:url', address);
  meta('property', 'og:image', publicUrl + sharePath);
  meta('name', 'twitter:card', 'summary_large_image');
  // a data block that browsers do not run, so our pages' content security policy allows it
  for (const data of facts.structured ?? [])
    lines.push(`<script type="application/ld+json">${escapeJsonForHtml(data)}</script>`);
  return lines.join('\n');
}

/** React replaces all of this with its first rendering. */
function body(summary: Summary | undefined, { brandName }: Site): string {
  if (!summary) return rootMark;
  const links = summary.links.map(
    ({ path, name, text }) => `<li><a href="${escapeHtml(path)}">${escapeHtml(name)}</a>${textAfter(text)}</li>`,
  );
  const items = summary.items?.map(({ name, text }) => `<li><b>${escapeHtml(name)}</b>${textAfter(text)}</li>`) ?? [];
  return `<div id="root"><div data-shell><header><a href="/">${escapeHtml(brandName)}</a></header><main><h1>${escapeHtml(summary.heading)}</h1>${paragraphs(summary)}${list(items)}${list(links)}</main></div></div>`;
}

const paragraphs = (summary: Summary) => summary.paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('');
const textAfter = (text: string | undefined) => (text ? ` ${escapeHtml(text)}` : '');
const list = (items: readonly string[]) => (items.length > 0 ? `<ul>${items.join('')}</ul>` : '');

/**
 * Returns JSON for the text of a script element. Escapes every character that could end the element, begin a comment or
 * another element, or reorder the text around it.
 */
function escapeJsonForHtml(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
