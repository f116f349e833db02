import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer, Endpoint } from '@souk/contract/endpoint.ts';
import type { FastifyReply } from 'fastify';

/** Bytes of a piece, about; one item may have more. */
const pieceCharacters = 64 * 1024;

/**
 * The text of an object with lists that may be long, made piece by piece while it is sent: others have their turns of the
 * event loop between two pieces, and no more than one is kept for a client that reads slowly.
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

/** What an endpoint answers with such an object. */
export type JsonFields<E extends Endpoint> = InPieces<Answer<E>> & Parameters<typeof jsonText>[0];

/** Answers an endpoint with such an object. @returns what the handler of the route returns */
export function sendJson<E extends Endpoint>(reply: FastifyReply, fields: JsonFields<E>): Readable {
  reply.type('application/json; charset=utf-8');
  // one piece ahead of what the client has read
  return Readable.from(jsonText(fields), { highWaterMark: 1 });
}
