import type { KeptFiles } from '@souk/contract/upstreams.ts';
import { formatCount } from '#ui/text/amount.ts';
import { listed } from './listed.ts';

const megabyte = 2 ** 20;

/** Formats a size. Small files are "less than 1 MB", not nothing. */
export function keptSize(bytes: number): string {
  if (bytes >= Number.MAX_SAFE_INTEGER) return 'more than can be counted';
  return bytes < megabyte ? 'less than 1 MB' : `${Math.round(bytes / megabyte)} MB`;
}

/** Services listed by name. Further ones are only counted, which keeps the question short. */
const namedServices = 8;

/** Names the services that keep files, and how much: 'Memory (less than 1 MB) and Sketch (12 MB)'. */
export function keptAt({ servers }: KeptFiles): string {
  const named = servers.slice(0, namedServices).map(({ name, bytes }) => `${name} (${keptSize(bytes)})`);
  const more = servers.length - named.length;
  return listed(more > 0 ? [...named, `${formatCount(more)} more`] : named);
}
