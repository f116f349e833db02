import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { allowedAddresses, bareHost, portOf } from '#platform/http/allowed-addresses.ts';

/** The address of a server, and the addresses that its sign-in may use although they are not public or not https. */
export type SignInAddress = { url: string; allowAddresses: readonly string[] };

/**
 * The address with the operator's list, if the server stands at an address of it, else without. A name may resolve into one
 * of the list's networks, so it is looked up: otherwise any server on the internet could name a private address as its
 * authorization server.
 */
export async function withOwnAddresses({ url, allowAddresses }: SignInAddress): Promise<SignInAddress> {
  const { hostname, protocol, port: written } = new URL(url);
  const port = portOf({ protocol, port: written });
  const allowed = allowedAddresses(allowAddresses);
  const isListed = allowed.hasHost(hostname, port) || allowed.hasAddress(bareHost(hostname), port);
  if (isListed) return { url, allowAddresses };
  if (isIP(bareHost(hostname)) !== 0 || !allowed.mayHave(hostname, port)) return { url, allowAddresses: [] };
  const found = await lookup(hostname, { all: true }).catch(() => []);
  const isInside = found.length > 0 && found.every(({ address }) => allowed.hasAddress(address, port));
  return { url, allowAddresses: isInside ? allowAddresses : [] };
}
