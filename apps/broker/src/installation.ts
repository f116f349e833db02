import { isIP } from 'node:net';
import type { ManifestPolicy } from '#features/catalogue/index.ts';
import { readStdioAllowlist, type ServicePrograms, type StdioAllowlist } from '#features/upstreams/index.ts';
import type { Config } from '#platform/config.ts';
import { isPublicAddress } from '#platform/http/address-guard.ts';
import { servicePrograms, type Paths } from './paths.ts';

/** What this installation may run, and so what manifests may refer to. */
export type Installation = { allowlist: StdioAllowlist; programs: ServicePrograms; policy: ManifestPolicy };

/**
 * Reads it from the configuration. Production only starts programs of an allow-list that the operator enabled.
 * @throws Error naming the allow-list when it cannot be used
 */
export function readInstallation(
  config: Pick<Config, 'production' | 'stdio' | 'stdioAllowlist'>,
  paths: Paths,
  allowAddresses: readonly string[] = [],
): Installation {
  const allowlist =
    config.stdio === 'allowlist' ? readStdioAllowlist(config.stdioAllowlist ?? paths.stdioAllowlist) : {};
  const programs = config.production ? {} : servicePrograms(paths);
  const allowed = new Set(allowAddresses);
  const policy: ManifestPolicy = {
    production: config.production,
    stdioAliases: new Set(Object.keys(allowlist)),
    services: new Set(Object.keys(programs)),
    isForbiddenHost: (url) => !allowed.has(url.host) && isLocalHost(url.hostname),
  };
  return { allowlist, programs, policy };
}

/** A non-public literal, or a name that only resolves locally. Other names are checked when they are resolved. */
function isLocalHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host)) return !isPublicAddress(host);
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/i.test(host);
}
