import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createConstantText } from '#platform/http/answers/constant-text.ts';

/**
 * Serves the icons of the bundled services at /icons/bundled/{file}.svg. They are our own drawings: no SVG from outside
 * is accepted (icon-type.ts). The Content-Security-Policy keeps an icon that is opened directly from running scripts or
 * loading anything.
 */
export async function mountBundledIcons(app: FastifyInstance, folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.svg'));
  for (const file of files) {
    const icon = createConstantText(await readFile(join(folder, file), 'utf8'), { brotliQuality: 5 });
    app.get(`/icons/bundled/${file}`, (request, reply) =>
      icon.send(
        request,
        reply
          .type('image/svg+xml')
          .header('x-content-type-options', 'nosniff')
          .header('content-security-policy', "default-src 'none'")
          .header('cache-control', 'public, max-age=86400'),
      ),
    );
  }
}
