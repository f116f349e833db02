import { expect, test } from 'vitest';
import { checkTokenWish } from './token-texts.ts';

test('a form names every invalid field', () => {
  expect(checkTokenWish({ name: '  ', scopes: [] })).toEqual({
    name: 'Give the token a name.',
    scopes: 'Choose at least one.',
  });
  expect(checkTokenWish({ name: 'x'.repeat(81), scopes: ['mcp:tools'] })).toEqual({
    name: 'At most 80 characters: these are 81.',
  });
  expect(checkTokenWish({ name: 'ok', scopes: ['mcp:tools'] })).toEqual({});
});
