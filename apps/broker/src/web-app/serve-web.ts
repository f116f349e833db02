import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { pagePaths, signInWindowPath } from '@souk/contract/pages.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CatalogueServer, CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Config } from '#platform/config.ts';
import { SoukError } from '#platform/errors.ts';
import { sendPage } from '#platform/http/answers/page.ts';
import { createDescribePage, notFound } from '../pages/describe-page.ts';
import { createTemplate, sharePath } from '../pages/fill-template.ts';
import { createCachedPages } from '../pages/cached-pages.ts';
import type { LegalTexts } from '../pages/legal-texts.ts';
import { mountCrawlerFiles } from '../pages/mount-crawler-files.ts';
import { renderSignInWindow } from '../pages/sign-in-window.ts';

const popupPages: ReadonlySet<string> = new Set(['/sign-in', '/auth/callback', '/auth/success', '/connect/callback']);

const pageFonts = [
  ['/oauth/pages.woff2', /^inter-latin-wght-.*\.woff2$/],
  ['/oauth/pages-mono.woff2', /^geist-mono-latin-400-.*\.woff2$/],
] as const;

/** The picture of link previews, without a name, since each installation has its own. */
const sharePicture = join(import.meta.dirname, '../pages/share.png');

/**
 * Serves the built web app in `folder`: its page at the address of every screen, with a head and a summary of the screen; its
 * files under /assets/; and its page with status 404 if a browser requests an unknown address. Other clients get the usual
 * JSON error.
 */
export async function serveWeb(
  app: FastifyInstance,
  {
    folder,
    config,
    snapshot,
    homeOrder,
    legal = new Map(),
    welcomeCredits = 0,
    answerUnknown = () => false,
  }: {
    folder: string;
    config: Config;
    snapshot: () => CatalogueSnapshot;
    /** Returns the first servers of the home page. */
    homeOrder: (count: number) => readonly CatalogueServer[];
    /** The operator's texts; by default none. */
    legal?: LegalTexts;
    welcomeCredits?: number;
    answerUnknown?: AnswerUnknown;
  },
): Promise<void> {
  const { brandName, supportEmail, businessEmail, contactEmail, publicUrl, payments } = config;
  const settings = {
    brandName,
    supportEmail,
    businessEmail,
    contactEmail,
    publicUrl,
    payments,
    ...(payments !== 'off' && config.checkout.tax && { addsTax: true }),
    ...(payments !== 'off' && config.checkout.codes && { takesCodes: true }),
    legal: [...legal.keys()],
    welcomeCredits,
  };
  const template = await readFile(join(folder, 'index.html'), 'utf8');
  const pages = createCachedPages(createTemplate(template, { brandName, publicUrl, settings }));
  const describe = createDescribePage(config, { snapshot, homeOrder, legal });
  mountCrawlerFiles(
    app,
    config,
    snapshot,
    [...legal.keys()].map((page) => `/${page}`),
  );
  const picture = await readFile(sharePicture);
  app.get(sharePath, (_request, reply) =>
    reply.type('image/png').header('cache-control', 'public, max-age=86400').send(picture),
  );

  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    // the file names contain a hash of the content
    immutable: true,
    maxAge: '365d',
    index: false,
    // written at build time (precompress-files.ts)
    preCompressed: true,
  });
  // the broker's own pages (page.css) use font files that the web app has already loaded
  const assets = await readdir(join(folder, 'assets'));
  for (const [path, pattern] of pageFonts) {
    const font = assets.find((name) => pattern.test(name));
    if (font) app.get(path, (_request, reply) => reply.redirect(`/assets/${font}`, 302));
  }

  // no opener policy, like the popup pages below
  const signInWindow = renderSignInWindow(brandName);
  app.get(signInWindowPath, (_request, reply) => sendPage(reply, 200, signInWindow));
  for (const path of pagePaths) {
    app.get<{ Params: { serviceId?: string } }>(path, (request, reply) => {
      // these pages run in popups; other pages keep their link to popups that they open, and get none to a foreign opener
      if (!popupPages.has(path)) reply.header('cross-origin-opener-policy', 'same-origin-allow-popups');
      // keeps a code or ticket in the address out of the Referer of the page's requests
      if (path.startsWith('/auth/') || path === '/connect/callback') reply.header('referrer-policy', 'no-referrer');
      return pages.send(request, reply, describe(path, request.params.serviceId));
    });
  }
  // gives each screen a single address
  for (const path of pagePaths.filter((one) => !one.endsWith('/'))) {
    app.get(`${path}/`, ({ url }, reply) => reply.redirect(url.replace(/\/(?=\?|$)/, ''), 308));
  }
  app.setNotFoundHandler((request, reply) => {
    const wantsPage = request.method === 'GET' && request.headers.accept?.includes('text/html');
    if (wantsPage) return pages.send(request, reply, notFound);
    return answerUnknown(request, reply) ? undefined : answerNotFound();
  });
}

/** Answers certain clients at an unknown address. @returns whether it did */
export type AnswerUnknown = (request: FastifyRequest, reply: FastifyReply) => boolean;

export function answerNotFound(): never {
  throw new SoukError('not_found');
}
