const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Schemes of applications that are not a reversed domain name, as RFC 8252 (section 7.1) wants them, and yet are of MCP
 * clients that people use. Any other without a dot is refused: it may be one that a browser runs, or that opens a program
 * of the system with whatever stands behind it.
 */
const clientSchemes: ReadonlySet<string> = new Set(
  'claude cursor vscode vscode-insiders vscodium windsurf zed kiro trae goose raycast warp lmstudio jan cherrystudio'
    .split(' ')
    .map((name) => `${name}:`),
);

/** Whether this is an http address of the machine itself. Exact hosts only: localhost.evil.test is not one. */
export function isLoopbackRedirect(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === 'http:' && loopbackHosts.has(url.hostname) && url.username === '' && url.password === '';
}

/**
 * Whether a redirect of a request matches a registered one: equal, or both loopback and equal but for the port
 * (RFC 8252, section 7.3: the port of a native client is not known beforehand).
 */
export function matchesRedirect(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true;
  if (!isLoopbackRedirect(requested)) return false;
  return registered.some((uri) => isLoopbackRedirect(uri) && withoutPort(uri) === withoutPort(requested));
}

/** What is wrong with a redirect address that a client wants to register, or undefined. */
export function redirectProblem(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > 2048) return 'redirect_uris must be addresses of at most 2048 characters';
  const url = URL.parse(uri);
  if (!url) return 'redirect_uris must be absolute addresses';
  if (url.hash !== '' || uri.includes('#')) return 'redirect_uris must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'redirect_uris must not carry credentials';
  if (url.protocol === 'http:' && !isLoopbackRedirect(uri)) return 'http redirect_uris must be loopback addresses';
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb && !clientSchemes.has(url.protocol) && !url.protocol.includes('.')) {
    return `redirect_uris must not use the scheme ${url.protocol} (an application's own is a reversed domain name)`;
  }
  return undefined;
}

/** The address as a person should read it on the consent page: its host, or the scheme of an application's own. */
export function redirectHost(uri: string): string {
  const url = new URL(uri);
  return url.host === '' ? url.protocol : url.host;
}

/** The CSP source that lets a form end at this address. */
export function redirectSource(uri: string): string {
  const url = new URL(uri);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : url.protocol;
}

/** The address without its port: at 127.0.0.1 it changes with every start of a native client. */
export function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = '';
  return url.href;
}
