import { BlockList, isIP } from 'node:net';
import { bareHost } from './allowed-addresses.ts';

const loopback4 = new BlockList();
loopback4.addSubnet('127.0.0.0', 8, 'ipv4');

/** Whether a host is this machine itself, as a literal or by name (RFC 6761, section 6.3). */
export function isLoopbackName(hostname: string): boolean {
  const host = bareHost(hostname).toLowerCase().replace(/\.$/, '');
  if (isIP(host) === 4) return loopback4.check(host, 'ipv4');
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost');
}

/** Whether a name only has a meaning inside a network: a single word, or with an ending that no public name has. */
export function isLocalName(hostname: string): boolean {
  const name = bareHost(hostname).replace(/\.$/, '');
  return !name.includes('.') || /\.(localhost|local|internal|home\.arpa)$/i.test(name);
}
