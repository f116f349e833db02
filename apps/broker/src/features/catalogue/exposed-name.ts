import { createHash } from 'node:crypto';

/** Clients add prefixes of their own and stop at 64, so ours stop at 48 (gateway.md, Names). */
export const maxExposedNameLength = 48;
const separator = '__';
const hashLength = 6;

/**
 * The name of a server's tool or prompt on /mcp: `slug__tool`, only [A-Za-z0-9_-], at most 48 characters.
 * A name that had to be changed carries a hash of the original, so that two of them stay apart and each stays the same.
 */
export function exposeName(slug: string, name: string): string {
  const plain = `${slug}${separator}${name}`;
  const cleaned = plain.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (cleaned === plain && cleaned.length <= maxExposedNameLength) return cleaned;
  const hash = createHash('sha256').update(`${slug}\n${name}`).digest('hex').slice(0, hashLength);
  return `${cleaned.slice(0, maxExposedNameLength - hashLength - 1)}_${hash}`;
}

/**
 * The address of a resource whose own address another server uses too: `souk://slug/own-address`.
 * Works for templates alike, since the server's own part stands in it unchanged.
 */
export function exposeUri(slug: string, uri: string): string {
  return `souk://${slug}/${uri}`;
}

/** The server's own address inside one made by exposeUri. */
export function ownUri(slug: string, exposed: string): string {
  const prefix = exposeUri(slug, '');
  return exposed.startsWith(prefix) ? exposed.slice(prefix.length) : exposed;
}
