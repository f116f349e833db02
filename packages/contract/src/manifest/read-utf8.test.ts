import { expect, test } from 'vitest';
import { readUtf8 } from './read-utf8.ts';

const utf16 = (text: string) =>
  new Uint8Array(new Uint16Array([0xfeff, ...[...text].map((c) => c.charCodeAt(0))]).buffer);

test('UTF-16 is recognized in both byte orders, other bytes are invalid UTF-8, and a byte order mark of UTF-8 stays', () => {
  const named = { fault: 'is UTF-16: save it as UTF-8' };
  const bytes = utf16('{"id":"a"}');
  expect(readUtf8(bytes)).toEqual(named);
  expect(readUtf8(bytes.map((_, index) => bytes[index ^ 1] ?? 0))).toEqual(named);
  expect(readUtf8(new Uint8Array([0x22, 0xe9, 0x22]))).toEqual({ fault: 'is not valid UTF-8' });
  expect(readUtf8(new TextEncoder().encode('\uFEFFä'))).toEqual({ text: '\uFEFFä' });
  expect(readUtf8(new Uint8Array())).toEqual({ text: '' });
});
