import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyByEncoding } from './compress-answers.ts';
import { namesTag } from './constant-text.ts';

/**
 * Sends an answer with a tag of its content, or 304 to a client that has it already. Every cache asks before it uses what it
 * kept (no-cache). What was asked with a token is kept by the client's own cache alone, and is never given to a request with
 * another token or without one (RFC 9111, sections 3.5 and 4.1).
 */
export function sendRevalidated(request: FastifyRequest, reply: FastifyReply, answer: unknown): FastifyReply {
  const text = JSON.stringify(answer);
  // weak: one tag for the same text in every encoding (RFC 9110, section 8.8.1)
  const tag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const keptBy = request.headers.authorization === undefined ? 'public' : 'private';
  reply.header('etag', tag).header('cache-control', `${keptBy}, no-cache`).header('vary', 'authorization');
  varyByEncoding(reply);
  if (namesTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(text);
}
