import type { FastifyInstance, FastifyReply } from 'fastify';

/** Methods and headers that pages of other origins may send, and the headers of answers that they may read. */
export type AllowedRequests = { methods: string; headers: string; exposed?: string };

/** The requests of MCP clients in browsers to the OAuth endpoints, such as those of the Inspector. */
const requestsOfMcpClients: AllowedRequests = {
  methods: 'GET, POST',
  headers: 'authorization, content-type, mcp-protocol-version',
};

/** Lets any page read this answer, but never with our cookies: `*` and credentials exclude each other. */
export function allowEveryOrigin(reply: FastifyReply, allowed?: AllowedRequests): FastifyReply {
  reply.header('access-control-allow-origin', '*');
  if (allowed) {
    reply.header('access-control-allow-methods', allowed.methods);
    reply.header('access-control-allow-headers', allowed.headers);
    if (allowed.exposed) reply.header('access-control-expose-headers', allowed.exposed);
  }
  return reply;
}

export function mountPreflight(app: FastifyInstance, path: string, allowed = requestsOfMcpClients): void {
  app.options(path, (_request, reply) =>
    allowEveryOrigin(reply, allowed).code(204).header('access-control-max-age', '3600').send(),
  );
}
