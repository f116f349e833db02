import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';

/** From here on the answer is written by hand or by the SDK; fastify's headers go along. */
export function takeOver(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const response = reply.raw;
  response.setHeader('x-content-type-options', 'nosniff');
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) response.setHeader(name, value);
  return response;
}
