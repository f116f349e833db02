import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Headers of our server that would be wrong on what oidc-provider answers: its own pages bring their own policy. */
const notCopied: ReadonlySet<string> = new Set(['content-security-policy', 'content-length', 'content-type']);

const addresses = new WeakMap<IncomingMessage, string>();

/** Where a request came from that was handed over: the client's address as TRUST_PROXY has it. */
export function clientAddress(request: IncomingMessage): string {
  return addresses.get(request) ?? '';
}

/**
 * Hands a request to oidc-provider, which wants Node's own request and response.
 * - Hijacked replies skip Fastify's hooks, so headers and cookies that were set so far are copied by hand.
 * - Host and protocol become those of PUBLIC_URL: oidc-provider builds the addresses of its metadata from them.
 * - `body` replaces the stream, which Fastify has read to its end.
 */
export function handOver(
  handle: NodeHandler,
  publicUrl: string,
  request: FastifyRequest,
  reply: FastifyReply,
  body?: string,
): void {
  reply.hijack();
  const { raw } = request;
  addresses.set(raw, request.ip);
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined && !notCopied.has(name)) reply.raw.setHeader(name, value);
  }
  const own = new URL(publicUrl);
  raw.headers.host = own.host;
  raw.headers['x-forwarded-proto'] = own.protocol.slice(0, -1);
  delete raw.headers['x-forwarded-host'];
  if (body !== undefined) replaceBody(raw, body);
  handle(raw, reply.raw);
}

/** oidc-provider reads `readable` and `iterator()`; it takes a parsed body too, but warns on the console that it does. */
function replaceBody(raw: IncomingMessage, body: string): void {
  const bytes = Buffer.from(body, 'utf8');
  raw.headers['content-length'] = String(bytes.length);
  delete raw.headers['transfer-encoding'];
  Object.defineProperty(raw, 'readable', { value: true, configurable: true });
  Object.defineProperty(raw, 'iterator', {
    value: async function* () {
      yield bytes;
    },
    configurable: true,
  });
}
