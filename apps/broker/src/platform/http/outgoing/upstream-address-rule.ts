import { isIP } from 'node:net';
import { isPublicAddress } from './address-guard.ts';
import { allowedAddresses, bareHost, portOf } from './allowed-addresses.ts';
import { isOfCloud, isOfPrivateNetwork, type LimitedEntry } from './limited-entry.ts';
import { isLocalName, isLoopbackName } from './local-name.ts';

/**
 * Says why a manifest may not use this address; undefined if it may. A name passes here if its address may be allowed: the
 * guard decides once it is resolved.
 */
export type UpstreamAddressRule = (url: URL) => string | undefined;

export function createUpstreamAddressRule(options: {
  production: boolean;
  allowAddresses: readonly string[];
  /** Entries that administrators added. */
  limited?: (() => readonly LimitedEntry[]) | undefined;
  administratorsMayAllow?: boolean | undefined;
  publicUrl?: string | undefined;
}): UpstreamAddressRule {
  const allowed = allowedAddresses(options.allowAddresses);
  return (url) => {
    if (isOwnAddress(url, options.publicUrl)) return 'is the address of this shop itself';
    const port = portOf(url);
    if (allowed.mayHave(url.hostname, port)) return undefined;
    if (options.limited && allowedAddresses(options.limited()).mayHave(url.hostname, port)) return undefined;
    const place = `${url.hostname}:${port}`;
    if (isOfCloud(hostOf(url))) {
      return 'must be a public address: clouds give out the credentials of this machine there';
    }
    if (isLocalHost(url.hostname)) {
      if (options.administratorsMayAllow && mayBeAllowed(url) === 'by administrators') {
        return `must be a public address, or one that is allowed: an administrator adds ${place} under Allow List, or the operator sets UPSTREAM_ALLOW_ADDRESSES=${place}`;
      }
      return `must be a public address, or one that the operator allows (UPSTREAM_ALLOW_ADDRESSES=${place})`;
    }
    if (options.production && !['https:', 'wss:'].includes(url.protocol)) {
      return `must be https or wss in production, except at addresses that the operator allows (UPSTREAM_ALLOW_ADDRESSES=${place})`;
    }
    return undefined;
  };
}

/** Returns who may allow an address that a manifest may not use yet. */
export function mayBeAllowed(url: URL, publicUrl?: string): 'by administrators' | 'by the operator' | 'by no one' {
  const host = hostOf(url);
  if (isOwnAddress(url, publicUrl) || isOfCloud(host)) return 'by no one';
  const isInside = isIP(host) === 0 ? isLocalName(host) && !isLoopbackName(host) : isOfPrivateNetwork(host);
  return isInside ? 'by administrators' : 'by the operator';
}

/** First segments of this shop's own paths. A proxy in front of it may serve other paths from elsewhere. */
const ownPaths: ReadonlySet<string> = new Set(['', 'mcp', 's', 'v0.1']);

function isOwnAddress(url: URL, publicUrl: string | undefined): boolean {
  if (publicUrl === undefined) return false;
  const own = new URL(publicUrl);
  const isSameHost = hostOf(url) === hostOf(own) || (isLoopbackName(url.hostname) && isLoopbackName(own.hostname));
  return isSameHost && portOf(url) === portOf(own) && ownPaths.has(url.pathname.split('/')[1] ?? '');
}

const hostOf = ({ hostname }: URL) => bareHost(hostname).replace(/\.$/, '');

/** Whether a host is a non-public literal, or a name that only resolves locally. */
function isLocalHost(hostname: string): boolean {
  const host = bareHost(hostname).replace(/\.$/, '');
  return isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host);
}
