import { createHash } from 'node:crypto';
import { latinLetters } from '../search/latin-letters.ts';

/** Longest name on /mcp: clients accept 64 characters, and add their own prefixes. */
export const maxExposedNameLength = 48;
const separator = '__';
const hashLength = 6;

/** Returns the beginning of the names of a server's tools and prompts on /mcp. */
export function toolPrefix(slug: string): string {
  return slug + separator;
}

/** Returns the slug in a name on /mcp; undefined for a name without separator. A slug contains no separator. */
export function slugOfName(exposedName: string): string | undefined {
  const end = exposedName.indexOf(separator);
  return end > 0 ? exposedName.slice(0, end) : undefined;
}

/**
 * Names a server's tool or prompt on /mcp: `slug__tool`, only [A-Za-z0-9_-], at most 48 characters. A changed name ends
 * in a hash of the original, so that it is unique and stable. Names in other scripts are transliterated to Latin
 * letters, so that users and models can still read them.
 */
export function exposeName(slug: string, name: string): string {
  const plain = toolPrefix(slug) + name;
  const isAscii = /^[\0-\x7f]*$/.test(name);
  const cleaned = isAscii ? plain.replaceAll(/[^A-Za-z0-9_-]/g, '_') : toolPrefix(slug) + latinLetters(name);
  if (cleaned === plain && cleaned.length <= maxExposedNameLength) return cleaned;
  const hash = createHash('sha256').update(`${slug}\n${name}`).digest('hex').slice(0, hashLength);
  return `${cleaned.slice(0, maxExposedNameLength - hashLength - 1)}_${hash}`;
}

const appScheme = 'ui://';

/** Returns the prefix for an address. Pages of MCP Apps keep their scheme, by which clients recognize them. */
function prefixOf(slug: string, scheme: string): string {
  return scheme === appScheme ? `ui://souk/${slug}/` : `souk://${slug}/`;
}

/**
 * Returns an address for a resource whose own address another server uses too: `souk://slug/own-address`, or
 * `ui://souk/slug/…` for a page of an MCP App. Works for templates too, because the server's own part is unchanged.
 */
export function exposeUri(slug: string, uri: string): string {
  return uri.startsWith(appScheme) ? prefixOf(slug, appScheme) + uri.slice(appScheme.length) : prefixOf(slug, '') + uri;
}

/**
 * Whether an address begins like those of exposeUri. A server's own address that does is prefixed, so that it cannot
 * pass for another server's.
 */
export function isOurUri(uri: string): boolean {
  return uri.startsWith('souk:') || uri.startsWith(`${appScheme}souk/`);
}

/** Whether a template begins with a scheme: `{+all}` would match the addresses of every server. */
export function namesScheme(template: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(template);
}

/** Reverses exposeUri. */
export function ownUri(slug: string, exposed: string): string {
  const prefix = prefixOf(slug, '');
  if (exposed.startsWith(prefix)) return exposed.slice(prefix.length);
  const ofApp = prefixOf(slug, appScheme);
  return exposed.startsWith(ofApp) ? appScheme + exposed.slice(ofApp.length) : exposed;
}
