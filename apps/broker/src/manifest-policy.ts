import { isIP } from 'node:net';
import type { ManifestPolicy } from '#features/catalogue/index.ts';
import type { ServicePrograms, StdioAllowlist } from '#features/connections/index.ts';
import type { Config } from '#platform/config.ts';
import { isPublicAddress } from '#platform/http/address-guard.ts';

/** What this installation's manifests may name, from its configuration. */
export function manifestPolicy(options: {
  config: Pick<Config, 'production'>;
  allowlist: StdioAllowlist;
  programs: ServicePrograms;
  allowAddresses: readonly string[];
}): ManifestPolicy {
  const allowed = new Set(options.allowAddresses);
  return {
    production: options.config.production,
    stdioAliases: new Set(Object.keys(options.allowlist)),
    services: new Set(Object.keys(options.programs)),
    isForbiddenHost: (url) => !allowed.has(url.host) && isLocalHost(url.hostname),
  };
}

/** A literal that is not public, or a name that only a machine or its network knows. Other names are resolved when used. */
function isLocalHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host)) return !isPublicAddress(host);
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/i.test(host);
}
