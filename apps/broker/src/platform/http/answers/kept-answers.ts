import { pipeline, Readable } from 'node:stream';
import type { Endpoint } from '@souk/contract/endpoint.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, type Encoding } from './choose-encoding.ts';
import { compressor, varyByEncoding } from './compress-answers.ts';
import { jsonText, sendJson, type JsonFields } from './json-text.ts';

/** Longer answers are not cached, but made for each request while they are sent. */
const mostBytes = 16 * 1024 * 1024;

/** Caches answers that are the same for everyone until their version changes. Each is compressed once per encoding. */
export type KeptAnswers = {
  /** @param version of the data in the answer @returns the result for the route's handler */
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

/** Returns the whole text, compressed; undefined if it is too long to cache. */
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
