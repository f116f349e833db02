import { isIP } from 'node:net';
import { isPublicAddress } from './address-guard.ts';
import { allowedAddresses, bareHost, portOf } from './allowed-addresses.ts';
import { isLocalName } from './local-name.ts';

/**
 * Why a manifest may not name this address, in words; undefined when it may. A name is resolved when it is used, and the
 * guard decides then: here it passes where its address may be allowed.
 */
export type UpstreamAddressRule = (url: URL) => string | undefined;

export function createUpstreamAddressRule(options: {
  production: boolean;
  allowAddresses: readonly string[];
}): UpstreamAddressRule {
  const allowed = allowedAddresses(options.allowAddresses);
  return (url) => {
    const port = portOf(url);
    if (allowed.mayHave(url.hostname, port)) return undefined;
    const place = `${url.hostname}:${port}`;
    if (isLocalHost(url.hostname)) {
      return `must be a public address, or one that the operator allows (UPSTREAM_ALLOW_ADDRESSES=${place})`;
    }
    if (options.production && !['https:', 'wss:'].includes(url.protocol)) {
      return `must be https or wss in production, except at addresses that the operator allows (UPSTREAM_ALLOW_ADDRESSES=${place})`;
    }
    return undefined;
  };
}

/** A non-public literal, or a name that only resolves locally. */
function isLocalHost(hostname: string): boolean {
  const host = bareHost(hostname).replace(/\.$/, '');
  return isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host);
}
