/**
 * Returns the address of a web page, which may be a link. Undefined for every other scheme, and for invalid addresses.
 */
export function webAddress(text: unknown): { href: string; host: string } | undefined {
  if (typeof text !== 'string' || text.length > 2048) return undefined;
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  // a user name before the host would look like the host
  if (url.username !== '' || url.password !== '') return undefined;
  return { href: url.href, host: url.host };
}
