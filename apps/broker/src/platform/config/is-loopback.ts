const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether an address names this machine itself, by one of its plain names. */
export function isLoopback(url: URL): boolean {
  return loopback.has(url.hostname);
}
