/** Whether an address from outside is safe to offer as a link: it must not run code or read files. */
export function isWebPage(url: unknown): boolean {
  const protocol = typeof url === 'string' ? URL.parse(url)?.protocol : undefined;
  return protocol === 'https:' || protocol === 'http:';
}
