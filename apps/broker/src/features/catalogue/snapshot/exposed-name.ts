import { createHash } from 'node:crypto';
import { latinLetters } from '../search/latin-letters.ts';

/** Clients add prefixes of their own and stop at 64, so ours stop at 48 (gateway.md, Names). */
export const maxExposedNameLength = 48;
const separator = '__';
const hashLength = 6;

/** What the names of a server's tools and prompts on /mcp begin with. */
export function toolPrefix(slug: string): string {
  return slug + separator;
}

/** The slug in a name on /mcp, which has no separator in it; undefined for a name without one. */
export function slugOfName(exposedName: string): string | undefined {
  const end = exposedName.indexOf(separator);
  return end > 0 ? exposedName.slice(0, end) : undefined;
}

/**
 * The name of a server's tool or prompt on /mcp: `slug__tool`, only [A-Za-z0-9_-], at most 48 characters.
 * A name that had to be changed ends in a hash of the original, so that it is unique and always the same. One in another
 * script is written in Latin letters, so that people and models can still read it.
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

/** The prefix before the server's own address. Pages of MCP Apps keep their scheme, by which clients recognise them. */
function prefixOf(slug: string, scheme: string): string {
  return scheme === appScheme ? `ui://souk/${slug}/` : `souk://${slug}/`;
}

/**
 * The address of a resource whose own address another server uses too: `souk://slug/own-address`, and of a page of an
 * MCP App `ui://souk/slug/…`. Works for templates too, since the server's own part is unchanged in it.
 */
export function exposeUri(slug: string, uri: string): string {
  return uri.startsWith(appScheme) ? prefixOf(slug, appScheme) + uri.slice(appScheme.length) : prefixOf(slug, '') + uri;
}

/** Whether an address looks like one of those: no server's own may stand for another's. */
export function isOurUri(uri: string): boolean {
  return uri.startsWith('souk:') || uri.startsWith(`${appScheme}souk/`);
}

/** Whether a template says of which scheme its addresses are: `{+all}` would claim those of every server. */
export function namesScheme(template: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(template);
}

/** The server's own address inside one made by exposeUri. */
export function ownUri(slug: string, exposed: string): string {
  const prefix = prefixOf(slug, '');
  if (exposed.startsWith(prefix)) return exposed.slice(prefix.length);
  const ofApp = prefixOf(slug, appScheme);
  return exposed.startsWith(ofApp) ? appScheme + exposed.slice(ofApp.length) : exposed;
}
