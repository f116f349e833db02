import type { LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { allowedAddresses, bareHost } from './allowed-addresses.ts';
import type { AllowEntry } from './limited-entry.ts';
import type { AddressRule, ConnectionWatch } from './connection-watch.ts';
import { isLocalName } from './local-name.ts';
import { direct, type Destination } from './outgoing.ts';
import type { ResolveName } from './name-lookups.ts';

/** A destination that is neither public nor allow-listed. The message names it, so it goes to logs, not to users. */
export class RefusedAddressError extends Error {
  override name = 'RefusedAddressError';
  readonly code = 'REFUSED_ADDRESS';
  /** Advice for the operator if this is the address of an upstream. */
  readonly remedy: string;
  constructor(host: string, port: number, reason: string) {
    const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    super(`${place} ${reason}`);
    this.remedy = `To allow it, add ${place} to UPSTREAM_ALLOW_ADDRESSES.`;
  }
}

// IANA's special-purpose address registries (RFC 6890 and its updates), which contain no public unicast host.
export const notPublic4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
// Exceptions inside 2000::/3, the only global unicast block: protocol assignments with Teredo, documentation, 6to4 (wraps IPv4).
export const notPublic6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const blocked4 = new BlockList();
for (const [net, prefix] of notPublic4) blocked4.addSubnet(net, prefix, 'ipv4');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const blocked6 = new BlockList();
for (const [net, prefix] of notPublic6) blocked6.addSubnet(net, prefix, 'ipv6');

/**
 * Whether an IP literal is a public unicast address. IPv4-mapped, NAT64, unique-local, link-local, multicast and unknown
 * forms are not.
 */
export function isPublicAddress(address: string): boolean {
  // only local links have a zone (fe80::1%eth0)
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !blocked4.check(address, 'ipv4');
    case 6:
      return global6.check(address, 'ipv6') && !blocked6.check(address, 'ipv6');
    default:
      return false;
  }
}

export type AddressGuard = {
  /** Checks an IP literal, for which Node calls no lookup. @throws RefusedAddressError */
  checkLiteral(to: Destination): void;
  /** For `net.connect`: resolves a name, and refuses it if any of its addresses is refused. */
  lookupFor(to: Destination): LookupFunction;
  /**
   * Checks a destination before a proxy resolves its name. If this machine cannot resolve the name, the proxy decides what
   * is reached, and names with a local meaning only are refused.
   * @param timeoutMs time after which the resolver counts as not knowing the name
   * @returns `direct` for what `allowAddresses` names
   * @throws RefusedAddressError
   */
  checkForProxy(to: Destination, timeoutMs: number): Promise<'direct' | 'proxy'>;
};

/**
 * A guard that allows public unicast addresses, and those that `allowAddresses` names: `host:port`, regardless of what the
 * host resolves to, or networks (CIDR).
 * @param options.publicNeedsTls allows plain connections only to addresses that `allowAddresses` names
 * @param options.watch gets what the guard finds
 */
export function createAddressGuard(
  allowAddresses: readonly AllowEntry[],
  options: {
    publicNeedsTls?: boolean | undefined;
    resolve?: ResolveName;
    watch?: Pick<ConnectionWatch, 'resolved' | 'allowed'> | undefined;
  } = {},
): AddressGuard {
  const { publicNeedsTls = false, resolve = direct.resolve, watch } = options;
  const allowed = allowedAddresses(allowAddresses);

  function refusal(host: string, { port, tls }: Destination, address: string): RefusedAddressError | undefined {
    if (allowed.entryFor(host, address, port) !== undefined) return undefined;
    if (!isPublicAddress(address)) {
      return new RefusedAddressError(host, port, `is not a public address${address === host ? '' : ` (${address})`}`);
    }
    if (publicNeedsTls && !tls) return new RefusedAddressError(host, port, 'must be reached with https or wss');
    return undefined;
  }

  function ruleFor(host: string, { port }: Destination, [address = host]: readonly string[]): AddressRule {
    const entry = allowed.entryFor(host, address, port);
    if (entry === undefined) return 'public';
    return typeof entry === 'string' ? { entry, by: 'operator' } : { entry: entry.entry, by: 'administrator' };
  }

  function refusalUnresolved(host: string, { port, tls }: Destination): RefusedAddressError | undefined {
    if (isLocalName(host)) return new RefusedAddressError(host, port, 'is not a public name');
    return publicNeedsTls && !tls
      ? new RefusedAddressError(host, port, 'must be reached with https or wss')
      : undefined;
  }

  return {
    checkLiteral(to) {
      const host = bareHost(to.host);
      if (isIP(host) === 0) return;
      watch?.resolved?.([host]);
      const refused = refusal(host, to, host);
      if (refused) throw refused;
      watch?.allowed?.(ruleFor(host, to, [host]));
    },
    lookupFor(to) {
      const host = bareHost(to.host);
      return (name, options, callback) => {
        resolve(name, options, (error, addresses) => {
          if (error) return callback(error, '', 0);
          const found = addresses.map(({ address }) => address);
          watch?.resolved?.(found);
          for (const { address } of addresses) {
            const refused = refusal(host, to, address);
            if (refused) return callback(refused, '', 0);
          }
          watch?.allowed?.(ruleFor(host, to, found));
          answerLookup(addresses, options.all === true, callback);
        });
      };
    },
    async checkForProxy(to, timeoutMs) {
      const host = bareHost(to.host);
      if (allowed.hasHost(host, to.port)) return 'direct';
      const literal = isIP(host) === 0 ? undefined : [{ address: host }];
      const addresses = literal ?? (await resolveInTime(resolve, host, timeoutMs));
      const found = (addresses ?? []).map(({ address }) => address);
      watch?.resolved?.(found);
      const refused = addresses
        ? addresses.map(({ address }) => refusal(host, to, address)).find((one) => one !== undefined)
        : refusalUnresolved(host, to);
      if (refused) throw refused;
      const isOwn = addresses?.every(({ address }) => allowed.entryFor(host, address, to.port) !== undefined) ?? false;
      watch?.allowed?.(addresses ? ruleFor(host, to, found) : 'proxy');
      return isOwn ? 'direct' : 'proxy';
    },
  };
}

function answerLookup(addresses: LookupAddress[], all: boolean, callback: Parameters<LookupFunction>[2]): void {
  if (all) return callback(null, addresses);
  const first = addresses[0];
  if (first) callback(null, first.address, first.family);
  else callback(Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' }), '', 0);
}

/** Resolves a name; undefined if the resolver knows no address, or does not answer in time. */
function resolveInTime(
  resolve: ResolveName,
  name: string,
  timeoutMs: number,
): Promise<readonly LookupAddress[] | undefined> {
  return new Promise((done) => {
    const timer = setTimeout(() => done(undefined), timeoutMs);
    resolve(name, {}, (error, addresses) => {
      clearTimeout(timer);
      done(error || addresses.length === 0 ? undefined : addresses);
    });
  });
}
