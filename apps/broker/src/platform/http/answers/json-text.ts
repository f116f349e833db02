import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer, Endpoint } from '@souk/contract/endpoint.ts';
import type { FastifyReply } from 'fastify';

/** Approximate size of a piece; a single item may be larger. */
const pieceCharacters = 64 * 1024;

/**
 * Writes an object with long lists as JSON, piece by piece while it is sent: other work gets a turn of the event loop
 * between pieces, and only one piece is kept for a slow client.
 */
export async function* jsonText(
  fields: Readonly<Record<string, string | Iterable<object>>>,
): AsyncGenerator<string, void> {
  let text = '';
  let before = '{';
  for (const [name, value] of Object.entries(fields)) {
    text += `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (typeof value === 'string') {
      text += JSON.stringify(value);
      continue;
    }
    let separator = '[';
    for (const item of value) {
      text += separator + JSON.stringify(item);
      separator = ',';
      if (text.length < pieceCharacters) continue;
      yield text;
      text = '';
      await nextTurn();
    }
    text += separator === '[' ? '[]' : ']';
  }
  yield `${text}${before === '{' ? '{' : ''}}`;
}

/** An answer whose lists are made while they are sent. */
type InPieces<A> = { [Name in keyof A]: A[Name] extends readonly (infer Item)[] ? Iterable<Item> : A[Name] };

export type JsonFields<E extends Endpoint> = InPieces<Answer<E>> & Parameters<typeof jsonText>[0];

/** Answers an endpoint with an object of long lists. @returns the result for the route's handler */
export function sendJson<E extends Endpoint>(reply: FastifyReply, fields: JsonFields<E>): Readable {
  reply.type('application/json; charset=utf-8');
  // one piece ahead of the client
  return Readable.from(jsonText(fields), { highWaterMark: 1 });
}
