import { BlockList, isIPv6, type Socket } from 'node:net';
import { addressGroup } from './address-group.ts';

/**
 * Makes a function that returns the group of a socket's address, for limits per address.
 * @param shared addresses and networks of many users, which have no such limit: their group is undefined
 */
export function createSocketGroups(shared: readonly string[]): (socket: Socket) => string | undefined {
  const exempt = networksOf(shared);
  return ({ remoteAddress = '' }) => {
    const address = plainAddress(remoteAddress);
    return exempt.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ? undefined : addressGroup(address);
  };
}

/** Returns an IPv4-mapped IPv6 address as IPv4. */
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
