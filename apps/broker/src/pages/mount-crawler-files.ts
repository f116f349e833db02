import type { FastifyInstance } from 'fastify';
import type { CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Config } from '#platform/config.ts';
import { escapeHtml } from '#platform/http/answers/page.ts';
import { servicePath } from './service-page.ts';

/** The limit of a sitemap (sitemaps.org). */
const maxAddresses = 50_000;

/** Paths of endpoints. Pages that are not for search engines say so themselves. */
const disallowed = ['/api/', '/v2/', '/auth/', '/login', '/s/'];

/** Serves /robots.txt, and /sitemap.xml with every public page and the page of each deployed service. */
export function mountCrawlerFiles(
  app: FastifyInstance,
  config: Config,
  snapshot: () => CatalogueSnapshot,
  more: readonly string[],
): void {
  const { publicUrl } = config;
  const pages = ['/', '/marketplace', ...(config.payments === 'off' ? [] : ['/plans']), '/about', '/contact', ...more];
  const robots = [
    'User-agent: *',
    ...disallowed.map((path) => `Disallow: ${path}`),
    'Allow: /',
    '',
    `Sitemap: ${publicUrl}/sitemap.xml`,
    '',
  ].join('\n');
  app.get('/robots.txt', (_request, reply) =>
    reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=3600').send(robots),
  );

  let made: { version: number; xml: string } | undefined;
  app.get('/sitemap.xml', (_request, reply) => {
    const { version, servers } = snapshot();
    if (made?.version !== version) {
      const services = servers.slice(0, maxAddresses - pages.length);
      made = {
        version,
        xml: sitemap([
          ...pages.map((path) => ({ address: publicUrl + path })),
          ...services.map(({ id, deployedAtMs }) => ({
            address: publicUrl + servicePath(id),
            changedMs: deployedAtMs,
          })),
        ]),
      };
    }
    return reply.type('application/xml; charset=utf-8').header('cache-control', 'public, max-age=600').send(made.xml);
  });
}

function sitemap(entries: readonly { address: string; changedMs?: number }[]): string {
  const urls = entries.map(({ address, changedMs }) => {
    const changed = changedMs === undefined ? '' : `<lastmod>${new Date(changedMs).toISOString()}</lastmod>`;
    return `<url><loc>${escapeHtml(address)}</loc>${changed}</url>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`;
}
