import { expect, test } from 'vitest';
import { possessive } from './possessive.ts';

test('a name gets its apostrophe, and an s unless it ends in one', () => {
  expect(possessive('Travel')).toBe("Travel's");
  expect(possessive('Notes')).toBe("Notes'");
});
