import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { direct, type Outgoing } from '#platform/http/outgoing/outgoing.ts';
import type { AllowEntry } from '#platform/http/outgoing/limited-entry.ts';
import { allowedAddresses, bareHost, portOf } from '#platform/http/outgoing/allowed-addresses.ts';

/** The address of a server, and the non-public or non-https addresses that its sign-in may use. */
export type SignInAddress = {
  url: string;
  allowAddresses: readonly AllowEntry[];
  /** Route of requests to it, such as a proxy; by default direct. */
  outgoing?: Outgoing | undefined;
};

/**
 * Returns the address with the operator's list only if the server itself has an address on it: otherwise any server on
 * the internet could name a private address as its authorization server. A name is resolved, because it may be in one
 * of the list's networks.
 */
export async function withOwnAddresses(address: SignInAddress): Promise<SignInAddress> {
  const { url, allowAddresses } = address;
  const { hostname, protocol, port: written } = new URL(url);
  const port = portOf({ protocol, port: written });
  const allowed = allowedAddresses(allowAddresses);
  const bare = bareHost(hostname);
  const isListed = allowed.hasHost(hostname, port) || (isIP(bare) !== 0 && allowed.mayHave(bare, port));
  if (isListed) return address;
  if (isIP(bare) !== 0 || !allowed.mayHave(hostname, port)) return { ...address, allowAddresses: [] };
  const found = await promisify((address.outgoing ?? direct).resolve)(hostname, {}).catch(() => []);
  const isInside = found.length > 0 && found.every(({ address: each }) => allowed.entryFor(hostname, each, port));
  return { ...address, allowAddresses: isInside ? allowAddresses : [] };
}
