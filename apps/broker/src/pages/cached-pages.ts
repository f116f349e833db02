import type { FastifyReply, FastifyRequest } from 'fastify';
import { createConstantText, type ConstantText } from '#platform/http/answers/constant-text.ts';
import type { PageFacts } from './page-facts.ts';

/** Compressed pages in memory, a few KB each. The oldest is dropped first. */
const maxKept = 200;
/** Compresses in a fraction of a millisecond: the page of a service changes with its server. */
const brotliQuality = 5;

/** Sends pages, and caches each in compressed form until its content changes. */
export function createCachedPages(render: (facts: PageFacts) => string) {
  const kept = new Map<string, { html: string; text: ConstantText }>();

  function textOf(facts: PageFacts): ConstantText {
    const key = facts.canonicalPath ?? facts.title ?? '';
    const html = render(facts);
    const known = kept.get(key);
    if (known?.html === html) return known.text;
    const text = createConstantText(html, { brotliQuality });
    const [oldest] = kept.size < maxKept || known ? [] : kept.keys();
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(key, { html, text });
    return text;
  }

  return {
    send: (request: FastifyRequest, reply: FastifyReply, facts: PageFacts): FastifyReply =>
      textOf(facts).send(
        request,
        reply.code(facts.status).type('text/html; charset=utf-8').header('cache-control', 'no-cache'),
      ),
  };
}
