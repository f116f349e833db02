import type { KeptFiles } from '@souk/contract/upstreams.ts';
import { formatCount } from '#ui/text/amount.ts';
import { listed } from './listed.ts';

const megabyte = 2 ** 20;

/** Small files are not nothing. */
export function keptSize(bytes: number): string {
  if (bytes >= Number.MAX_SAFE_INTEGER) return 'more than can be counted';
  return bytes < megabyte ? 'less than 1 MB' : `${Math.round(bytes / megabyte)} MB`;
}

/** The others are counted, so that a question about them stays in sight. */
const namedServices = 8;

/** 'Memory (less than 1 MB) and Sketch (12 MB)': where files are kept, and how much. */
export function keptAt({ servers }: KeptFiles): string {
  const named = servers.slice(0, namedServices).map(({ name, bytes }) => `${name} (${keptSize(bytes)})`);
  const more = servers.length - named.length;
  return listed(more > 0 ? [...named, `${formatCount(more)} more`] : named);
}
