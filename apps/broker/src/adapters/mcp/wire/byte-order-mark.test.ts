import { expect, test } from 'vitest';
import { mark } from './byte-order-mark.ts';
import { readEvents } from './event-data.ts';
import { createMessageReader } from './message-reader.ts';
import { rewriteEvents } from './rewrite-events.ts';
import { readJsonRpcError } from './translate-error.ts';

// Servers of .NET and PHP begin a file, a body or each write with a byte order mark.

const ping = '{"jsonrpc":"2.0","method":"ping","id":1}';

test('an event is read without its byte order mark', () => {
  for (const text of [`${mark}data: ${ping}\n\n`, `data: ${mark}${ping}\n\n`, `${mark}data: ${mark}${ping}\n\n`]) {
    expect(readEvents(text).data).toEqual([ping]);
    expect(rewriteEvents(text)).toBe(`data: ${ping}\n\n`);
  }
  expect(readEvents(`data: 1\n\n${mark}event: message\ndata: 2\n\n`).data).toEqual(['1', '2']);
  expect(readEvents(`${mark}id: 7\ndata: 1\n\n`).lastEventId).toBe('7');
});

test('an event without a byte order mark stays as it is', () => {
  expect(rewriteEvents(`data: ${ping}\n\n`)).toBeUndefined();
});

test('a line of a program and an HTTP error are read without their byte order mark', () => {
  expect(createMessageReader()(mark + ping)).toMatchObject({ method: 'ping' });
  expect(readJsonRpcError(`${mark}{"error":{"code":-32602,"message":"bad"}}`)).toMatchObject({ code: -32602 });
});

test('within a text a byte order mark is a character like any other', () => {
  const [data = ''] = readEvents(`data: {"a":"${mark}b"}\n\n`).data;
  expect(JSON.parse(data)).toEqual({ a: `${mark}b` });
});
