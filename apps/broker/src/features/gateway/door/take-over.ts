import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';

/** Takes a response over from fastify, with its headers. The gateway or the SDK then writes the answer. */
export function takeOver(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const response = reply.raw;
  response.setHeader('x-content-type-options', 'nosniff');
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) response.setHeader(name, value);
  return response;
}
