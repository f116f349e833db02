import type { FastifyInstance } from 'fastify';
import type { Config } from '#platform/config.ts';
import { createConstantText, type ConstantText } from '#platform/http/answers/constant-text.ts';
import { pagePolicy, renderPage } from '#platform/http/answers/page.ts';
import { openApiDocument } from '../openapi.ts';
import { manifestDocs } from '../operator/manifest-docs/manifest-docs.ts';
import { version } from '../version.ts';
import { renderApiPage } from './api-page.ts';
import { renderManual } from './render-manual.ts';

/** Milliseconds of work for a page that few read: the best compression takes a second. */
const brotliQuality = 5;

/**
 * GET /docs/api, a page for readers, GET /openapi.json, the same for programs, and GET /docs/manifests, the fields of a manifest.
 * They are made when first asked for.
 */
export function mountApiDocs(
  server: FastifyInstance,
  { publicUrl, brandName }: Pick<Config, 'publicUrl' | 'brandName'>,
): void {
  const document = () => openApiDocument(version, publicUrl);
  const page = madeOnce(() => renderApiPage(JSON.parse(JSON.stringify(document())), brandName));
  const text = madeOnce(() => JSON.stringify(document()));
  const manifests = madeOnce(() =>
    renderPage({ title: 'Manifests', brandName, width: 'wide', body: renderManual(manifestDocs()) }),
  );
  for (const [path, shown] of [
    ['/docs/api', page],
    ['/docs/manifests', manifests],
  ] as const) {
    server.get(path, (request, reply) =>
      shown().send(
        request,
        reply
          .type('text/html; charset=utf-8')
          .header('content-security-policy', pagePolicy())
          .header('x-frame-options', 'DENY')
          .header('cache-control', 'no-cache'),
      ),
    );
  }
  // any program may read it, from any origin: it says nothing of people
  server.get('/openapi.json', (request, reply) =>
    text().send(
      request,
      reply
        .type('application/json; charset=utf-8')
        .header('access-control-allow-origin', '*')
        .header('cache-control', 'no-cache'),
    ),
  );
}

function madeOnce(make: () => string): () => ConstantText {
  let made: ConstantText | undefined;
  return () => (made ??= createConstantText(make(), { brotliQuality }));
}
