import type { FastifyInstance } from 'fastify';
import type { Config } from '#platform/config.ts';
import { createConstantText, type ConstantText } from '#platform/http/answers/constant-text.ts';
import { pagePolicy, renderPage } from '#platform/http/answers/page.ts';
import { openApiDocument } from '../openapi.ts';
import { manifestDocs } from '../operator/manifest-docs/manifest-docs.ts';
import { version } from '../version.ts';
import { renderApiPage } from './api-page.ts';

/** Compresses within milliseconds. The best quality takes a second, which is too long for pages that few users read. */
const brotliQuality = 5;

/**
 * Serves /docs/api, the API for readers, /openapi.json, the API for programs, and /docs/manifests, the fields of a manifest.
 * Each is rendered on its first request.
 */
export function mountApiDocs(
  server: FastifyInstance,
  { publicUrl, brandName }: Pick<Config, 'publicUrl' | 'brandName'>,
): void {
  const document = () => openApiDocument(version, publicUrl);
  const page = madeOnce(() => renderApiPage(JSON.parse(JSON.stringify(document())), brandName));
  const text = madeOnce(() => JSON.stringify(document()));
  const manifests = madeOnce(async () => {
    // loading the parser takes 55 ms, which each start would pay
    const { renderManual } = await import('./render-manual.ts');
    return renderPage({ title: 'Manifests', brandName, width: 'wide', body: renderManual(manifestDocs()) });
  });
  for (const [path, shown] of [
    ['/docs/api', page],
    ['/docs/manifests', manifests],
  ] as const) {
    server.get(path, async (request, reply) =>
      (await shown()).send(
        request,
        reply
          .type('text/html; charset=utf-8')
          .header('content-security-policy', pagePolicy())
          .header('x-frame-options', 'DENY')
          .header('cache-control', 'no-cache'),
      ),
    );
  }
  // readable from any origin, since it has no data of users
  server.get('/openapi.json', async (request, reply) =>
    (await text()).send(
      request,
      reply
        .type('application/json; charset=utf-8')
        .header('access-control-allow-origin', '*')
        .header('cache-control', 'no-cache'),
    ),
  );
}

function madeOnce(make: () => string | Promise<string>): () => Promise<ConstantText> {
  let made: Promise<ConstantText> | undefined;
  const makeText = async () => createConstantText(await make(), { brotliQuality });
  return () => (made ??= makeText());
}
