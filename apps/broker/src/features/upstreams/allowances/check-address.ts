import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { SoukError } from '#platform/errors.ts';
import { readAddressEntry } from '#platform/http/outgoing/allowed-addresses.ts';
import { isPublicAddress } from '#platform/http/outgoing/address-guard.ts';
import { isOfPrivateNetwork } from '#platform/http/outgoing/limited-entry.ts';
import type { ResolveName } from '#platform/http/outgoing/name-lookups.ts';

/** Largest network: 256 addresses. */
const shortestPrefix = { 4: 24, 6: 120 } as const;
/** Addresses allowed per name: a name with more is a cloud's load balancer. */
const maxAddresses = 16;
const resolveTimeoutMs = 5000;

/** Ports that an administrator's entry cannot open. */
export type ClosedPorts = {
  /**
   * Ports of our database, closed at every address, because the database's name may resolve to another address later.
   */
  database: ReadonlySet<number>;
  /** Ports that this broker listens on, closed at this machine's addresses. */
  own: ReadonlySet<number>;
};

export function isClosed(address: string, port: number, { database, own }: ClosedPorts): boolean {
  return database.has(port) || (own.has(port) && isOfThisMachine(address));
}

function isOfThisMachine(address: string): boolean {
  return Object.values(networkInterfaces()).some((found) => found?.some((each) => each.address === address));
}

/**
 * Returns an administrator's entry in canonical spelling, with the addresses that its name has now.
 * @throws SoukError invalid_request that says what is wrong, or why only the operator can allow it
 */
export async function checkAddress(
  text: string,
  { closed, resolve }: { closed: ClosedPorts; resolve: ResolveName },
): Promise<{ entry: string; addresses: string[] }> {
  const read = readAddressEntry(text);
  if (typeof read === 'string') throw refuse(`${read}.`);
  if ('prefix' in read) return { entry: checkNetwork(read, closed), addresses: [] };
  const { host, port } = read;
  const literal = isIP(host) !== 0;
  const addresses = literal ? [host] : await addressesOf(host, resolve);
  for (const address of addresses) {
    const which = literal ? address : `${host} is ${address}, which`;
    if (isPublicAddress(address)) {
      throw refuse(`${which} is public: servers may use it without an entry, with https.`);
    }
    if (!isOfPrivateNetwork(address)) throw refuse(`${which} ${ofOperatorAlone}`);
    if (isClosed(address, port, closed)) throw refuse(ofOurselves(port));
  }
  return { entry: `${isIP(host) === 6 ? `[${host}]` : host}:${port}`, addresses: literal ? [] : addresses };
}

function checkNetwork(
  { address, prefix, port }: { address: string; prefix: number; port: number | undefined },
  closed: ClosedPorts,
): string {
  const family = isIP(address) === 6 ? 6 : 4;
  const shortest = shortestPrefix[family];
  if (prefix < shortest) {
    throw refuse(
      `A network here has at most 256 addresses (/${shortest} or more): only the operator can allow a larger one.`,
    );
  }
  if (port === undefined) throw refuse('A network needs a port here, such as 10.0.0.0/24:8080.');
  if (!isOfPrivateNetwork(address)) throw refuse(`${address}/${prefix} ${ofOperatorAlone}`);
  if (closed.database.has(port)) throw refuse(ofOurselves(port));
  return family === 6 ? `[${address}/${prefix}]:${port}` : `${address}/${prefix}:${port}`;
}

const ofOperatorAlone =
  'is not in a private network (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, fc00::/7), or belongs to this machine or its cloud: only the operator can allow it, with UPSTREAM_ALLOW_ADDRESSES.';
const ofOurselves = (port: number) =>
  `Port ${port} is used by Souk or its database: only the operator can allow it, with UPSTREAM_ALLOW_ADDRESSES.`;
const refuse = (message: string) => new SoukError('invalid_request', { message });

async function addressesOf(host: string, resolve: ResolveName): Promise<string[]> {
  const found = await new Promise<string[]>((done) => {
    const timer = setTimeout(() => done([]), resolveTimeoutMs);
    resolve(host, {}, (error, addresses) => {
      clearTimeout(timer);
      done(error ? [] : addresses.map(({ address }) => address));
    });
  });
  if (found.length === 0) throw refuse(`${host} cannot be resolved here. Check the name, or enter its address.`);
  if (found.length > maxAddresses) throw refuse(`${host} has more than ${maxAddresses} addresses.`);
  return [...new Set(found)].toSorted();
}
