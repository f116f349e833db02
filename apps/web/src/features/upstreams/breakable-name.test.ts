import { expect, test } from 'vitest';
import { piecesOf } from './breakable-name.tsx';

test('a word too long for a narrow line may break into even pieces, and no other word may', () => {
  expect(piecesOf('Connect Internationalization')).toEqual(['Connect Internationalization']);
  expect(piecesOf('Connect Internationalizationservice now')).toEqual([
    'Connect Internati',
    'onalizati',
    'onservice now',
  ]);
  for (let length = 21; length <= 200; length++) {
    const pieces = piecesOf('x'.repeat(length));
    expect(pieces.join('')).toHaveLength(length);
    expect(Math.min(...pieces.map((piece) => piece.length))).toBeGreaterThan(7);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(12);
  }
});
