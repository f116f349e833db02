/** An address that may be a link: a web page. Undefined for every other scheme, and for what is no address. */
export function webAddress(text: unknown): { href: string; host: string } | undefined {
  if (typeof text !== 'string' || text.length > 2048) return undefined;
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  // a name before the host would pose as the host
  if (url.username !== '' || url.password !== '') return undefined;
  return { href: url.href, host: url.host };
}
