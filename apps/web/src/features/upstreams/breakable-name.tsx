import { Fragment } from 'react';

/** Longer words may not fit a line of a narrow screen. */
const longWordLength = 20;
const maxPieceLength = 12;

/**
 * A name whose very long words break into even parts. The browser's own breaks may leave a single letter on the last
 * line.
 */
export function BreakableName({ name }: { name: string }) {
  return piecesOf(name).map((piece, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- pieces have no identity but their place
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {piece}
    </Fragment>
  ));
}

/** Cuts the name where it may break in addition to its spaces. */
export function piecesOf(name: string): string[] {
  const pieces = [''];
  for (const part of name.split(/(\s+)/)) {
    const [first = '', ...rest] = evenParts(part);
    pieces.push(`${pieces.pop() ?? ''}${first}`, ...rest);
  }
  return pieces;
}

function evenParts(word: string): string[] {
  const letters = Array.from(word);
  if (letters.length <= longWordLength) return [word];
  const count = Math.ceil(letters.length / maxPieceLength);
  const start = (part: number) => Math.round((part * letters.length) / count);
  return Array.from({ length: count }, (_, part) => letters.slice(start(part), start(part + 1)).join(''));
}
