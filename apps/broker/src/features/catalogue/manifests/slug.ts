/** The part of the 48 characters of a name on /mcp that the server takes (gateway.md, Names). */
const maxSlugLength = 12;
/** A first word shorter than this says too little of the server. */
const minWordsLength = 4;

/**
 * The slug that a server gets: what is wanted, cut at the end of a word where it is too long.
 * @param attempt number, from 1: later ones end in it, since another server has the one before
 */
export function slugFor(wanted: string, attempt = 1): string {
  const suffix = attempt === 1 ? '' : String(attempt);
  return cutAtWord(wanted, maxSlugLength - suffix.length) + suffix;
}

function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('-', length);
  return (end < minWordsLength ? text.slice(0, length) : text.slice(0, end)).replace(/-$/, '');
}
