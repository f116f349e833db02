import type { Endpoint } from '@souk/contract/endpoint.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyByEncoding } from './compress-answers.ts';
import { namesTag } from './constant-text.ts';

/**
 * Sends an answer with a tag of its content, or 304 if the client has it already. Caches revalidate before each use
 * (no-cache), unless the endpoint allows some seconds. An answer to a request with a token is only cached by the client
 * itself, and never used for another token or none (RFC 9111, sections 3.5 and 4.1).
 */
export function sendRevalidated(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, digest }: { text: string | Buffer; digest: Buffer },
  { revalidated, mediaType }: Pick<Endpoint, 'revalidated' | 'mediaType'>,
): FastifyReply {
  // weak: one tag for the same text in every encoding (RFC 9110, section 8.8.1)
  const tag = `W/"${digest.toString('base64url').slice(0, 22)}"`;
  const keptBy = request.headers.authorization === undefined ? 'public' : 'private';
  const use = typeof revalidated === 'object' ? `max-age=${revalidated.maxAgeSeconds}` : 'no-cache';
  reply.header('etag', tag).header('cache-control', `${keptBy}, ${use}`).header('vary', 'authorization');
  varyByEncoding(reply);
  if (namesTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (mediaType === undefined) return reply.type('application/json; charset=utf-8').send(text);
  // Fastify would add a charset, which these types do not have, to a string
  return reply.type(mediaType).send(Buffer.from(text));
}
