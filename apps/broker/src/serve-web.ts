import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { pagePaths } from '@souk/contract/pages.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#platform/config.ts';
import { SoukError } from '#platform/errors.ts';
import { createConstantText } from '#platform/http/constant-text.ts';
import { escapeHtml } from '#platform/http/page.ts';

const popupPages: ReadonlySet<string> = new Set(['/sign-in', '/auth/callback', '/auth/success', '/connect/callback']);

const pageFonts = [
  ['/oauth/pages.woff2', /^inter-latin-wght-.*\.woff2$/],
  ['/oauth/pages-mono.woff2', /^geist-mono-latin-400-.*\.woff2$/],
] as const;

/**
 * Serves the built web app in `folder`: its page at the address of every screen, its files under /assets/, and its page
 * with status 404 when a browser requests an unknown address. Programs get the usual JSON error.
 * @param options.hasService whether a service with this id is deployed: the page of any other answers 404
 */
export async function serveWeb(
  app: FastifyInstance,
  { folder, config, hasService }: { folder: string; config: Config; hasService: (serviceId: string) => boolean },
): Promise<void> {
  const { brandName, supportEmail, businessEmail, contactEmail, publicUrl, payments } = config;
  const settings = escapeHtml(
    JSON.stringify({ brandName, supportEmail, businessEmail, contactEmail, publicUrl, payments }),
  );
  const page = createConstantText(
    (await readFile(join(folder, 'index.html'), 'utf8'))
      .replace('name="souk-config" content="{}"', `name="souk-config" content="${settings}"`)
      .replace('<title>Souk</title>', `<title>${escapeHtml(brandName)}</title>`),
  );
  const send = (request: FastifyRequest, reply: FastifyReply, status: number) =>
    page.send(request, reply.code(status).type('text/html; charset=utf-8').header('cache-control', 'no-cache'));

  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    // the file names contain a hash of the content
    immutable: true,
    maxAge: '365d',
    index: false,
    // made at build time (precompress-files.ts)
    preCompressed: true,
  });
  // the fonts of the broker's own pages (page.css) are files that the web app has already loaded
  const assets = await readdir(join(folder, 'assets'));
  for (const [path, pattern] of pageFonts) {
    const font = assets.find((name) => pattern.test(name));
    if (font) app.get(path, (_request, reply) => reply.redirect(`/assets/${font}`, 302));
  }

  for (const path of pagePaths) {
    app.get<{ Params: { serviceId?: string } }>(path, (request, reply) => {
      // these pages run in popups; every other page keeps its link to popups it opens, and gets none to a foreign opener
      if (!popupPages.has(path)) reply.header('cross-origin-opener-policy', 'same-origin-allow-popups');
      // keeps a code or ticket in the address out of the Referer of the page's requests
      if (path.startsWith('/auth/') || path === '/connect/callback') reply.header('referrer-policy', 'no-referrer');
      const { serviceId } = request.params;
      return send(request, reply, serviceId === undefined || hasService(serviceId) ? 200 : 404);
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const wantsPage = request.method === 'GET' && request.headers.accept?.includes('text/html');
    return wantsPage ? send(request, reply, 404) : answerNotFound();
  });
}

/** What a program gets for an unknown address. */
export function answerNotFound(): never {
  throw new SoukError('not_found');
}
