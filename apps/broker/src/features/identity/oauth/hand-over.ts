import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Headers of our server that would be wrong on oidc-provider's answers: its pages have their own policy. */
const notCopied: ReadonlySet<string> = new Set(['content-security-policy', 'content-length', 'content-type']);

const addresses = new WeakMap<IncomingMessage, string>();

/** Returns the client's address of a request that was handed over, according to TRUST_PROXY. */
export function clientAddress(request: IncomingMessage): string {
  return addresses.get(request) ?? '';
}

/**
 * Hands a request to oidc-provider, which needs Node's own request and response.
 * - A hijacked reply skips Fastify's hooks, so headers and cookies that were set so far are copied.
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

/** oidc-provider reads `readable` and `iterator()`; it accepts a parsed body too, but with a warning on the console. */
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
