/** The server's share of the 48 characters of a name on /mcp (snapshot/exposed-name.ts). */
const maxSlugLength = 12;
/** Shortest slug to cut at the end of a word: a shorter one says too little about the server. */
const minWordsLength = 4;

/**
 * Returns the slug for a server: the wanted one, cut at the end of a word if it is too long.
 * @param attempt number, from 1. From 2 on it is appended, because another server has the slug of the previous attempt
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
