import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding } from './choose-encoding.ts';
import { varyByEncoding } from './compress-answers.ts';

/** A text that is the same for every client while the process runs, cached in each encoding. */
export type ConstantText = {
  /** Sends it with the reply's status and headers, or 304 if the client has it already. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply;
};

/** @param options.brotliQuality 11, the best, by default; it takes milliseconds, which is too long for many texts */
export function createConstantText(text: string, { brotliQuality = 11 } = {}): ConstantText {
  const plain = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  const encoded = { br: brotliCompressSync(plain, { params }), gzip: gzipSync(plain, { level: 9 }) };
  // weak: one tag for the same text in every encoding (RFC 9110, section 8.8.1)
  const tag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return {
    send(request, reply) {
      varyByEncoding(reply);
      if (reply.statusCode === 200) {
        reply.header('etag', tag);
        if (namesTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
      }
      const encoding = chooseEncoding(request.headers['accept-encoding']);
      if (!encoding) return reply.send(plain);
      return reply.header('content-encoding', encoding).send(encoded[encoding]);
    },
  };
}

/** Whether an If-None-Match header contains this tag. */
export function namesTag(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((one) => one.trim() === tag) ?? false;
}
