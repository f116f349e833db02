import { readFileSync } from 'node:fs';
import { paletteMark, themeStorageKey } from '@souk/contract/pages.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { createConstantText } from './constant-text.ts';

/** The stylesheet is a separate file, so that the pages' CSP needs no 'unsafe-inline'. */
const pageStylesPath = '/oauth/pages.css';

/** The logo: a pointed arch, a doorway, with one dot in it, the link. */
const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" aria-hidden="true"><path d="M4 21.5V13c0-4.5 3.2-7.8 8-10.5 4.8 2.700 8 6 8 10.5v8.5z"/><circle cx="12" cy="14.5" r="2.2" fill="currentColor" stroke="none"/></svg>';
const markPath = '/oauth/mark.svg';

const styles = readFileSync(new URL('./page.css', import.meta.url), 'utf8');

/**
 * A script that runs before anything is drawn. It applies the theme chosen in the web app; without it, or without storage,
 * the system's theme applies. On pages of the web app it also remembers the palette's shortcut until the app runs.
 */
export const themePath = '/oauth/theme.js';
const themeScript = `try {
  const theme = localStorage.getItem('${themeStorageKey}');
  if (theme === 'light' || theme === 'dark') document.documentElement.classList.add(theme);
} catch {}
addEventListener('keydown', (event) => {
  const { dataset } = document.documentElement;
  if (event.key !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
  if (dataset.${paletteMark} === 'ready' || !document.getElementById('root')) return;
  event.preventDefault();
  dataset.${paletteMark} = 'asked';
});
`;

/** Compressed once per process, not per server. */
const compressedFiles = [
  { path: pageStylesPath, type: 'text/css; charset=utf-8', file: createConstantText(styles) },
  { path: themePath, type: 'text/javascript; charset=utf-8', file: createConstantText(themeScript) },
];

export type Page = {
  /** Shown in the browser tab only: the body has its own heading. */
  title: string;
  brandName: string;
  /** HTML. Everything from outside must go through escapeHtml. */
  body: string;
  /** wide for pages to read, narrow (the default) for forms. */
  width?: 'narrow' | 'wide';
};

/**
 * Escapes text for HTML, also for quoted attributes. Replaces control characters and bidirectional overrides, with which a
 * name could rewrite the sentence around it.
 */
export function escapeHtml(text: string): string {
  return text
    .replace(/[\p{Cc}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, ' ')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Renders an HTML document in the product's plain style: nothing inline, light and dark, readable at 390 px. */
export function renderPage(page: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(page.title)} - ${escapeHtml(page.brandName)}</title>
<script src="${themePath}"></script>
<link rel="stylesheet" href="${pageStylesPath}">
<link rel="icon" type="image/svg+xml" href="${markPath}">
</head>
<body>
<header class="${page.width ?? 'narrow'}"><a href="/">${mark}${escapeHtml(page.brandName)}</a></header>
<main class="${page.width ?? 'narrow'}">
${page.body}
</main>
</body>
</html>
`;
}

/** Serves the stylesheet, the theme's script, the logo, and the icon that browsers look for at a fixed address. Call once. */
export function mountPageFiles(app: FastifyInstance): void {
  // a separate image has no text color to inherit
  const icon = mark.replaceAll('currentColor', '#8a7f72');
  app.get(markPath, (_request, reply) =>
    reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(icon),
  );
  app.get('/favicon.ico', (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').redirect(markPath, 302),
  );
  for (const { path, type, file } of compressedFiles) {
    app.get(path, (request, reply) =>
      file.send(request, reply.type(type).header('cache-control', 'public, max-age=3600')),
    );
  }
}

/** The content security policy of server-made pages: they only load our own files, and cannot be framed. @param formTargets see sendPage */
export function pagePolicy(formTargets: readonly string[] = []): string {
  const formAction = ["'self'", ...formTargets].join(' ');
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action ${formAction}`;
}

/**
 * Sends a server-made page with its own content security policy.
 * @param formTargets CSP sources outside our origin that forms may lead to. Chromium checks every redirect after a form
 *   against form-action, so a form whose answer redirects elsewhere needs them.
 */
export function sendPage(reply: FastifyReply, status: number, html: string, formTargets: readonly string[] = []) {
  return (
    reply
      .code(status)
      .header('content-security-policy', pagePolicy(formTargets))
      .header('x-frame-options', 'DENY')
      .header('cache-control', 'no-store')
      // Under no-referrer, a form's POST would carry Origin: null, and the sign-in forms check Origin.
      .header('referrer-policy', 'same-origin')
      .type('text/html; charset=utf-8')
      .send(html)
  );
}
