/**
 * One of 500 million random keys has fewer than 18 distinct bytes. A pattern that repeats within half of the key has 16 at
 * most.
 */
const fewestDistinctBytes = 18;
/** Equal differences between neighbors: all of them in a key that counts up, a handful in a random one. */
const mostEqualSteps = 14;

const remedy = `Make one with: node -p "require('crypto').randomBytes(32).toString('base64url')"`;

/** Continues the message if a weak key is already in use. */
export const weakKeyInUseText =
  'Souk starts anyway, since only this key opens the secrets of the existing data: keep it, keep copies of the database ' +
  'private, and replace the key: docs/keys.md says how.';

/**
 * Detects a key that was typed or is a placeholder: 32 bytes that can be guessed protect nothing. Not every weak key can be
 * told from a random one.
 * @param key 32 bytes in base64url
 * @returns what is wrong with it and how to make another, without any part of the key; undefined if it looks random
 */
export function weaknessOf(key: string): string | undefined {
  const sign = signOf(key.replace(/=$/, ''));
  return sign && `MASTER_KEY can be guessed: ${sign}. ${remedy}`;
}

function signOf(text: string): string | undefined {
  const bytes = [...Buffer.from(text, 'base64url')];
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return 'it is the encoding of a text';
  if (new Set(bytes).size < fewestDistinctBytes) return 'it repeats a few characters';
  const characters = [...text].map((character) => character.charCodeAt(0));
  if (equalSteps(bytes) > mostEqualSteps || equalSteps(characters) > mostEqualSteps) return 'it counts up or down';
  if (!/[A-Z]/.test(text) || !/[a-z]/.test(text)) return 'it is a text or a number, not 32 random bytes';
  return undefined;
}

/** Returns how often the most frequent difference between neighbors occurs. */
function equalSteps(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (let at = 1; at < values.length; at++) {
    const step = (values[at] ?? 0) - (values[at - 1] ?? 0);
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}
