import { pipeline, Readable } from 'node:stream';
import type { Endpoint } from '@souk/contract/endpoint.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, type Encoding } from './choose-encoding.ts';
import { compressor, varyByEncoding } from './compress-answers.ts';
import { jsonText, sendJson, type JsonFields } from './json-text.ts';

/** A longer answer is made for each who asks, while it is sent. */
const mostBytes = 16 * 1024 * 1024;

/**
 * Answers that are the same for everyone until what they tell of changes: each is made and compressed once in each encoding,
 * whoever asks meanwhile.
 */
export type KeptAnswers = {
  /**
   * Answers an endpoint.
   * @param version of what the answer tells
   * @returns what the handler of the route returns
   */
  send<E extends Endpoint>(
    endpoint: E,
    exchange: { request: FastifyRequest; reply: FastifyReply },
    version: string,
    fields: () => JsonFields<E>,
  ): Promise<Readable>;
};

export function createKeptAnswers(): KeptAnswers {
  const kept = new Map<string, { version: string; bytes: Promise<Buffer | undefined> }>();
  return {
    async send(endpoint, { request, reply }, version, fields) {
      const encoding = chooseEncoding(request.headers['accept-encoding']);
      const key = `${endpoint.path} ${encoding ?? ''}`;
      let known = kept.get(key);
      if (known?.version !== version) {
        known = { version, bytes: gather(Readable.from(jsonText(fields())), encoding) };
        kept.set(key, known);
        known.bytes.catch(() => kept.delete(key));
      }
      const bytes = await known.bytes;
      if (!bytes) return sendJson(reply, fields());
      reply.type('application/json; charset=utf-8');
      varyByEncoding(reply);
      if (encoding) reply.header('content-encoding', encoding);
      return Readable.from([bytes], { objectMode: false });
    },
  };
}

/** The whole text, compressed; undefined where it is too long to keep. */
async function gather(text: Readable, encoding: Encoding | undefined): Promise<Buffer | undefined> {
  const stream: Readable = encoding ? pipeline(text, compressor[encoding](), () => {}) : text;
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    pieces.push(Buffer.from(piece));
    length += pieces.at(-1)?.length ?? 0;
    if (length > mostBytes) return undefined;
  }
  return Buffer.concat(pieces);
}
