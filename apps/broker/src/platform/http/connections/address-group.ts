import { isIPv6 } from 'node:net';

/**
 * The addresses that share one rate limit. One person has a whole IPv6 network of 64 bits (RFC 6177), so its addresses are
 * one group; an IPv4 address is a group by itself, in its own notation or inside IPv6.
 */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // an IPv4 ending stands for two groups
  const length = before.length + after.length + (after.at(-1)?.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - length }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${groups.join(':')}::/64`;
}
