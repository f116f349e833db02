import type { Endpoint } from '@souk/contract/endpoint.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyByEncoding } from './compress-answers.ts';
import { namesTag } from './constant-text.ts';

/**
 * Sends an answer with a tag of its content, or 304 to a client that has it already. Every cache asks before it uses what it
 * kept (no-cache), unless it may use that for some seconds. What was asked with a token is kept by the client's own cache alone, and is never given to a request with
 * another token or without one (RFC 9111, sections 3.5 and 4.1).
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
  // fastify puts a charset, which these types do not have, behind the type of a text alone
  return reply.type(mediaType).send(Buffer.from(text));
}
