/** Only these spellings: an honest client does not write the same address as 2130706433 or 127.1. */
const loopbackAddress = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?([/?]|$)/i;
/** Characters that make browsers and parsers disagree about where the host ends. */
const misleading = /[\s\\\p{Cc}]/u;

/**
 * Schemes of MCP clients, and of editors whose extensions are MCP clients (Cline uses its editor's), that are not
 * reversed domain names as RFC 8252 (section 7.1) wants. docs/clients-results.md says where each was seen. Any other
 * scheme without a dot is refused: a browser might run it, or start a system program with the rest of the address.
 */
export const clientSchemes: readonly string[] = [
  'claude cursor grokbot windsurf zed kiro trae pearai positron antigravity antigravity-ide vscode vscode-insiders vscodium',
  'code-oss jetbrains goose raycast warp lmstudio jan cherrystudio speakmcp systemprompt',
].flatMap((names) => names.split(' ').map((name) => `${name}:`));

/** Whether this is an http address of the user's own machine. Only exact hosts: localhost.evil.test is not one. */
export function isLoopbackRedirect(uri: string): boolean {
  return loopbackAddress.test(uri) && URL.parse(uri) !== null;
}

/**
 * Whether a requested redirect matches a registered one: equal, or both loopback and equal except for the port (RFC
 * 8252, section 7.3: a native client's port is not known beforehand).
 */
export function matchesRedirect(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true;
  if (!isLoopbackRedirect(requested)) return false;
  return registered.some((uri) => isLoopbackRedirect(uri) && withoutPort(uri) === withoutPort(requested));
}

/** Returns what is wrong with a redirect address that a client wants to register. */
export function redirectProblem(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > 2048) return 'redirect_uris must be addresses of at most 2048 characters';
  if (misleading.test(uri)) return 'redirect_uris must not contain spaces, backslashes or control characters';
  const url = URL.parse(uri);
  if (!url) return 'redirect_uris must be absolute addresses';
  if (url.hash !== '' || uri.includes('#')) return 'redirect_uris must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'redirect_uris must not carry credentials';
  if (url.protocol === 'http:' && !isLoopbackRedirect(uri)) return 'http redirect_uris must be loopback addresses';
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb && !clientSchemes.includes(url.protocol) && !url.protocol.includes('.')) {
    return `redirect_uris must not use the scheme ${url.protocol} (an application's own is a reversed domain name)`;
  }
  return undefined;
}

/**
 * Returns a redirect's destination for the consent page: a host, or an application's own scheme. What follows such a
 * scheme says nothing about where the answer goes.
 */
export function redirectHost(uri: string): string {
  const url = new URL(uri);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.host : url.protocol;
}

/** Returns the CSP source that lets a form end at this address. */
export function redirectSource(uri: string): string {
  const url = new URL(uri);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : url.protocol;
}

/** Returns the address without its port, which changes with every start of a native client. */
export function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = '';
  return url.href;
}
