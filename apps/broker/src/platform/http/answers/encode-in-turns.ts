import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isRecord } from '../../json.ts';

/** Shorter lists are encoded in one step. */
const longList = 50;
/** Time after which other work gets a turn of the event loop. */
const turnMs = 5;
/** Long lists are members of an answer, or of its `data`. */
const deepest = 2;

/** Encodes an answer as JSON, with its SHA-256. Long lists are encoded in turns: tens of megabytes take a tenth of a second. */
export async function encodeInTurns(answer: unknown): Promise<{ text: string | Buffer; digest: Buffer }> {
  const hash = createHash('sha256');
  if (!hasLongList(answer)) {
    const text = JSON.stringify(answer);
    return { text, digest: hash.update(text).digest() };
  }
  const pieces: Buffer[] = [];
  let texts: string[] = [];
  let since = performance.now();
  const finishPiece = () => {
    const piece = Buffer.from(texts.join(''));
    hash.update(piece);
    pieces.push(piece);
    texts = [];
  };
  for (const text of textsOf(answer, deepest)) {
    texts.push(text);
    if (performance.now() - since < turnMs) continue;
    finishPiece();
    await nextTurn();
    since = performance.now();
  }
  finishPiece();
  return { text: Buffer.concat(pieces), digest: hash.digest() };
}

export function hasLongList(value: unknown, depth = deepest): boolean {
  if (Array.isArray(value)) return value.length > longList;
  return depth > 0 && isRecord(value) && Object.values(value).some((part) => hasLongList(part, depth - 1));
}

/** Yields the output of JSON.stringify in parts: one for each item of a long list. */
function* textsOf(value: unknown, depth: number): Generator<string> {
  if (Array.isArray(value) && value.length > longList) {
    for (const [index, item] of value.entries()) yield `${index === 0 ? '[' : ','}${JSON.stringify(item) ?? 'null'}`;
    yield ']';
  } else if (isRecord(value) && hasLongList(value, depth)) {
    let before = '{';
    for (const [name, part] of Object.entries(value)) {
      if (part === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* textsOf(part, depth - 1);
      before = ',';
    }
    yield '}';
  } else {
    yield JSON.stringify(value) ?? 'null';
  }
}
