import type { FastifyInstance, FastifyReply } from 'fastify';

/** Headers that MCP clients in browsers send to the OAuth endpoints (the Inspector's user interface, for one). */
const allowedHeaders = 'authorization, content-type, mcp-protocol-version';

/** Any page may read this answer, but never with our cookies: `*` and credentials exclude each other. */
export function allowEveryOrigin(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
}

/** Answers the preflight of a public OAuth endpoint. */
export function mountPreflight(app: FastifyInstance, path: string): void {
  app.options(path, (_request, reply) => {
    allowEveryOrigin(reply);
    return reply
      .code(204)
      .header('access-control-allow-methods', 'GET, POST')
      .header('access-control-allow-headers', allowedHeaders)
      .header('access-control-max-age', '3600')
      .send();
  });
}
