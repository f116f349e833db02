import { BlockList, isIPv6, type Socket } from 'node:net';
import { addressGroup } from './address-group.ts';

/**
 * The group of a socket's address, for what one address may take.
 * @param shared addresses and networks behind which many people are, under no limit for one address
 * @returns undefined for a shared one
 */
export function createSocketGroups(shared: readonly string[]): (socket: Socket) => string | undefined {
  const exempt = networksOf(shared);
  return ({ remoteAddress = '' }) => {
    const address = plainAddress(remoteAddress);
    return exempt.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ? undefined : addressGroup(address);
  };
}

/** An IPv4 address as such, also where the socket is one of IPv6. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

function networksOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return list;
}
