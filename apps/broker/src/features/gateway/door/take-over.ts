import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';

/** Takes the answer from fastify: it is then written by hand or by the SDK, with fastify's headers. */
export function takeOver(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const response = reply.raw;
  response.setHeader('x-content-type-options', 'nosniff');
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) response.setHeader(name, value);
  return response;
}
