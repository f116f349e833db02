import { expect, test } from 'vitest';
import { scopeNames, targetOf } from './connected-app-texts.ts';

const publicUrl = 'https://souk.example';

test('scopes are said in words, in one order, and those of nobody are left out', () => {
  expect(scopeNames(['openid', 'mcp:resources', 'mcp:tools'])).toBe('tools, resources');
  expect(scopeNames(['openid'])).toBe('nothing');
});

test('a link of ours is said as what it opens', () => {
  expect(targetOf(`${publicUrl}/mcp`, publicUrl)).toBe('every server that you switched on');
  expect(targetOf(`${publicUrl}/s/travel/mcp`, publicUrl)).toBe('the server travel');
  expect(targetOf('https://other.example/s/travel/mcp', publicUrl)).toBe('https://other.example/s/travel/mcp');
});
