import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { pagePaths } from '@souk/contract/pages.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Config } from '#platform/config.ts';
import { SoukError } from '#platform/errors.ts';
import { escapeHtml } from '#platform/http/page.ts';

const popupPages: ReadonlySet<string> = new Set(['/sign-in', '/auth/callback', '/auth/success', '/connect/callback']);

/**
 * Serves the built web app of `folder`: its page at every screen's address, its files under /assets/, and its page with
 * status 404 where a browser asks for a page that there is not. Programs get the JSON error as everywhere.
 */
export async function serveWeb(
  app: FastifyInstance,
  { folder, config }: { folder: string; config: Config },
): Promise<void> {
  const { brandName, supportEmail, businessEmail, publicUrl } = config;
  const settings = escapeHtml(JSON.stringify({ brandName, supportEmail, businessEmail, publicUrl }));
  const page = (await readFile(join(folder, 'index.html'), 'utf8'))
    .replace('name="souk-config" content="{}"', `name="souk-config" content="${settings}"`)
    .replace('<title>Souk</title>', `<title>${escapeHtml(brandName)}</title>`);
  const send = (reply: FastifyReply, status: number) =>
    reply.code(status).type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page);

  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    // the names carry a hash of the content
    immutable: true,
    maxAge: '365d',
    index: false,
  });
  // the typeface of the pages that the broker makes itself (page.css), from the file that the web app has loaded already
  const font = (await readdir(join(folder, 'assets'))).find((name) => /^inter-latin-wght-.*\.woff2$/.test(name));
  if (font) app.get('/oauth/pages.woff2', (_request, reply) => reply.redirect(`/assets/${font}`, 302));

  for (const path of pagePaths) {
    app.get(path, (_request, reply) => {
      // these stand in popups; every other page keeps the popups that it opens, and is no other site's popup
      if (!popupPages.has(path)) reply.header('cross-origin-opener-policy', 'same-origin-allow-popups');
      // a code or ticket in the address is in no request that the page makes
      if (path.startsWith('/auth/') || path === '/connect/callback') reply.header('referrer-policy', 'no-referrer');
      return send(reply, 200);
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const wantsPage = request.method === 'GET' && request.headers.accept?.includes('text/html');
    return wantsPage ? send(reply, 404) : answerNotFound();
  });
}

/** What a program gets for an address that there is not. */
export function answerNotFound(): never {
  throw new SoukError('not_found');
}
