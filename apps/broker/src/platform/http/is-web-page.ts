/** Whether an address from outside may be shown to a person as one to open: nothing that runs code or reads files. */
export function isWebPage(url: unknown): boolean {
  const protocol = typeof url === 'string' ? URL.parse(url)?.protocol : undefined;
  return protocol === 'https:' || protocol === 'http:';
}
