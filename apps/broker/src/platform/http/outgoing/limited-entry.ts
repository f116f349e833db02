import { BlockList, isIP } from 'node:net';

/**
 * An entry that an administrator made beside the operator's list: it opens less. Each address that a connection would go to is
 * asked of `opens`, so that a name that is changed afterwards opens nothing else.
 */
export type LimitedEntry = { entry: string; opens(address: string, port: number): boolean };
/** An entry of the operator (a text), or one of an administrator. */
export type AllowEntry = string | LimitedEntry;

// RFC 1918, RFC 6598 and RFC 4193: networks of companies. This machine itself, links, multicast and every form that wraps an
// IPv4 address in an IPv6 one are in none of them.
const ownNetworks = new BlockList();
for (const [net, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  ownNetworks.addSubnet(net, prefix, 'ipv4');
ownNetworks.addSubnet('fc00::', 7, 'ipv6');

// Where clouds answer with the credentials of this machine (AWS, GCP, Alibaba, EKS; the others are link-local).
const metadata = new BlockList();
metadata.addAddress('100.100.100.200', 'ipv4');
metadata.addSubnet('fd00:ec2::', 32, 'ipv6');
metadata.addSubnet('fd20:ce::', 32, 'ipv6');

// All clouds have one here, too.
const links = new BlockList();
links.addSubnet('169.254.0.0', 16, 'ipv4');
links.addSubnet('fe80::', 10, 'ipv6');
const metadataNames: ReadonlySet<string> = new Set(['metadata', 'metadata.google.internal', 'instance-data']);

/** Whether a host is where clouds give out the credentials of this machine: no server is there. */
export function isOfCloud(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return metadataNames.has(host.toLowerCase());
  const type = family === 4 ? 'ipv4' : 'ipv6';
  return links.check(host, type) || metadata.check(host, type);
}

/** Whether an administrator may open it: an address of a private network that gives out no credentials of this machine. */
export function isOfPrivateNetwork(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%') || /^::ffff:/i.test(address)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  return ownNetworks.check(address, type) && !metadata.check(address, type);
}
