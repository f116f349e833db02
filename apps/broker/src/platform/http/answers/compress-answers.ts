import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, type Encoding } from './choose-encoding.ts';

/** Shorter answers consist mostly of headers. */
const leastBytes = 1024;
/** A longer answer (the whole catalogue) is compressed piece by piece, so that it does not occupy a thread of the pool for long. */
const mostWholeBytes = 4 * 1024 * 1024;
const pieceBytes = 256 * 1024;
/** Long answers that are compressed concurrently. Further ones are sent as they are. */
const mostLong = 4;

const compressible = /^(application\/(json|xml)|text\/(?!event-stream)|image\/svg\+xml)/;

/**
 * Paths whose answers depend on a cookie or contain a new secret. If an answer contains both a secret and an attacker's
 * words, its compressed length lets the attacker guess the secret letter by letter (BREACH): a client's name next to the
 * e-mail address on the consent page, a token's name next to the new token. API calls are safe: they take their token from a
 * header, so another site cannot make a browser send them.
 */
const privatePath = /^\/(oauth|auth|login|dev-google)(\/|\?|$)/;

const compress: Record<Encoding, (text: Buffer) => Promise<Buffer>> = {
  // quality 4: a fifth smaller than gzip at the same speed; the quality of built files (11) takes 100 times as long
  br: (text) =>
    promisify(brotliCompress)(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
    }),
  gzip: (text) => promisify(gzip)(text),
};

export const compressor: Readonly<Record<Encoding, () => Transform>> = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip(),
};

function* pieces(text: Buffer): Generator<Buffer> {
  for (let at = 0; at < text.length; at += pieceBytes) yield text.subarray(at, at + pieceBytes);
}

/**
 * Compresses whole answers of 1 KiB and more, and JSON that is made while it is sent, off the event loop. It skips other
 * streams, the MCP endpoints and the authorization server, which write to Node's response directly.
 */
export function compressAnswers(app: FastifyInstance): void {
  let long = 0;

  /** Compresses as fast as the client reads. */
  function compressLong(text: Readable, encoding: Encoding): Readable {
    long++;
    const compressed = compressor[encoding]();
    pipeline(text, compressed, () => long--);
    return compressed;
  }

  function compressJson(request: FastifyRequest, reply: FastifyReply, text: Readable): Readable {
    if (request.method === 'HEAD' || !isJson(reply) || !mayCompress(reply)) return text;
    varyByEncoding(reply);
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (!encoding || long >= mostLong) return text;
    reply.header('content-encoding', encoding);
    return compressLong(text, encoding);
  }

  app.addHook('onSend', async (request, reply, payload: unknown) => {
    if (payload instanceof Readable) return compressJson(request, reply, payload);
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    const bytes = Buffer.byteLength(payload);
    if (bytes < leastBytes) return payload;
    const isLong = bytes > mostWholeBytes;
    if (isLong && request.method === 'HEAD') return payload;
    if (privatePath.test(request.url) || !mayCompress(reply)) return payload;
    varyByEncoding(reply);
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (!encoding || (isLong && long >= mostLong)) return payload;
    const text = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const compressed = isLong ? compressLong(Readable.from(pieces(text)), encoding) : await compress[encoding](text);
    reply.header('content-encoding', encoding).removeHeader('content-length');
    return compressed;
  });
}

const isJson = (reply: FastifyReply) => String(reply.getHeader('content-type') ?? '').startsWith('application/json');

function mayCompress(reply: FastifyReply): boolean {
  if (reply.getHeader('content-encoding') !== undefined) return false;
  if (!compressible.test(String(reply.getHeader('content-type') ?? ''))) return false;
  // no-store answers may contain a secret; no-transform forbids compression (RFC 9111, section 5.2.2)
  return !/no-store|no-transform/.test(String(reply.getHeader('cache-control') ?? ''));
}

export function varyByEncoding(reply: FastifyReply): void {
  const vary = String(reply.getHeader('vary') ?? '');
  const names = vary.split(',').map((name) => name.trim().toLowerCase());
  if (names.includes('*') || names.includes('accept-encoding')) return;
  reply.header('vary', vary === '' ? 'accept-encoding' : `${vary}, accept-encoding`);
}
