import { BlockList, isIP } from 'node:net';

/**
 * An administrator's entry, which allows less than the operator's. `opens` checks each address that a connection would go
 * to, so that a name whose address changes later allows nothing else.
 */
export type LimitedEntry = { entry: string; opens(address: string, port: number): boolean };
/** An entry of the operator (a string) or of an administrator. */
export type AllowEntry = string | LimitedEntry;

// Private networks of RFC 1918, RFC 6598 and RFC 4193. They do not include this machine itself, link-local and multicast
// addresses, nor any IPv6 form that wraps an IPv4 address.
const ownNetworks = new BlockList();
for (const [net, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  ownNetworks.addSubnet(net, prefix, 'ipv4');
ownNetworks.addSubnet('fc00::', 7, 'ipv6');

// Where clouds hand out the credentials of this machine (AWS, GCP, Alibaba, EKS; the others are link-local).
const metadata = new BlockList();
metadata.addAddress('100.100.100.200', 'ipv4');
metadata.addSubnet('fd00:ec2::', 32, 'ipv6');
metadata.addSubnet('fd20:ce::', 32, 'ipv6');

// Link-local addresses, where every cloud has such a service.
const links = new BlockList();
links.addSubnet('169.254.0.0', 16, 'ipv4');
links.addSubnet('fe80::', 10, 'ipv6');
const metadataNames: ReadonlySet<string> = new Set(['metadata', 'metadata.google.internal', 'instance-data']);

/** Whether clouds hand out the credentials of this machine at a host, where no server may be. */
export function isOfCloud(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return metadataNames.has(host.toLowerCase());
  const type = family === 4 ? 'ipv4' : 'ipv6';
  return links.check(host, type) || metadata.check(host, type);
}

/** Whether an administrator may allow an address: it is in a private network, and hands out no credentials of this machine. */
export function isOfPrivateNetwork(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%') || /^::ffff:/i.test(address)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  return ownNetworks.check(address, type) && !metadata.check(address, type);
}
