import { expect, test } from 'vitest';
import { readTokenAnswer } from './token-answer.ts';

const read = (text: string, status: number, challenge?: string) => {
  const { content, isRefusal } = readTokenAnswer(text, status, challenge ?? null);
  return isRefusal ? JSON.parse(content) : content;
};

test.each<[string, number, string | undefined, object]>([
  // RFC 6749, section 5.2: 401 means an unknown client
  ['<!doctype html>', 401, undefined, { error: 'invalid_client' }],
  ['', 401, 'Basic realm="x"', { error: 'invalid_client' }],
  ['[]', 401, undefined, { error: 'invalid_client' }],
  ['{"error":{"code":7}}', 401, undefined, { error: 'invalid_client' }],
  ['{"error":"invalid_grant"}', 401, undefined, { error: 'invalid_grant' }],
  [
    '',
    400,
    'Bearer error="invalid_token", error_description="It has expired"',
    { error: 'invalid_token', error_description: 'It has expired' },
  ],
  [
    '{"error":"bad_refresh_token","error_description":"The refresh token\\u202e is\\n bad"}',
    200,
    undefined,
    { error: 'invalid_grant', error_description: 'The refresh token is bad' },
  ],
  ['{"error":"invalid_scope","error_description":["no text"]}', 400, undefined, { error: 'invalid_scope' }],
])('the refusal %j with status %j is read according to RFC 6749', (text, status, challenge, expected) => {
  expect(read(text, status, challenge)).toEqual(expected);
});

test.each([
  ['<!doctype html>', 400],
  ['', 503],
  ['[]', 500],
])('%j with status %j is not a refusal', (text, status) => {
  expect(read(text, status)).toBe(text);
});

test('the granted scope is read if it is a string', () => {
  const scopeOf = (scope: unknown) => readTokenAnswer(JSON.stringify({ access_token: 'a', scope })).issued?.scope;
  expect([scopeOf('read write'), scopeOf(undefined), scopeOf(['read']), scopeOf(null)]).toEqual([
    'read write',
    undefined,
    undefined,
    undefined,
  ]);
});
