import { expect, test } from 'vitest';
import { checkTokenForm } from './token-texts.ts';

test('a form says every field that is wrong', () => {
  expect(checkTokenForm({ name: '  ', scopes: [] })).toEqual({
    name: 'Give the token a name.',
    scopes: 'Choose at least one.',
  });
  expect(checkTokenForm({ name: 'x'.repeat(81), scopes: ['mcp:tools'] })).toEqual({
    name: 'At most 80 characters: this has 81.',
  });
  expect(checkTokenForm({ name: 'ok', scopes: ['mcp:tools'] })).toEqual({});
});
