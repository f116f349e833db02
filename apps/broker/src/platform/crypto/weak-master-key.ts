/**
 * Of 32 random bytes fewer than 18 are distinct in one of 500 million keys, and fewer than that with none of the other signs. A
 * pattern that repeats within half of the key has 16 at most.
 */
const fewestDistinctBytes = 18;
/** Neighbours that differ by the same: in counted-up keys all, in a random one a handful. */
const mostEqualSteps = 14;

/** How a key is made, for messages. */
const remedy = `Make one with: node -p "require('crypto').randomBytes(32).toString('base64url')"`;

/** What follows where a weak key is in use already. */
export const ofExistingData =
  'It goes on, since the secrets of the data that is there open with this key alone: keep it, let nobody read a copy of the ' +
  'database, and replace the key: docs/keys.md says how.';

/**
 * What shows that somebody typed a key, or a placeholder was left: 32 bytes that can be guessed protect nothing. Not every weak
 * key can be told from a random one.
 * @param key 32 bytes in base64url
 * @returns what is wrong with it and how to make another, without anything of the key; undefined for one that looks random
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

/** How many steps from one value to the next are as wide as most of them. */
function equalSteps(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (let at = 1; at < values.length; at++) {
    const step = (values[at] ?? 0) - (values[at - 1] ?? 0);
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}
