import type { ManifestPolicy } from '#features/catalogue/index.ts';
import { readCurrency } from '#features/billing/index.ts';
import { readStdioAllowlist, type ServicePrograms, type StdioAllowlist } from '#features/upstreams/index.ts';
import type { Config } from '#platform/config.ts';
import { createUpstreamAddressRule } from '#platform/http/upstream-address-rule.ts';
import { servicePrograms, type Paths } from './paths.ts';

/** What this installation may run, and so what manifests may refer to. */
export type Installation = {
  allowlist: StdioAllowlist;
  programs: ServicePrograms;
  /** Host:port and CIDR of upstreams that may be private. */
  allowAddresses: readonly string[];
  policy: ManifestPolicy;
};

/**
 * Reads it from the configuration. Production only starts programs of an allow-list that the operator enabled.
 * @param moreAddresses host:port of upstreams that tests may reach beside those of the configuration
 * @throws Error naming the allow-list when it cannot be used
 */
export function readInstallation(
  config: Pick<Config, 'production' | 'stdio' | 'stdioAllowlist' | 'upstreamAllowAddresses' | 'payments'>,
  paths: Paths,
  moreAddresses: readonly string[] = [],
): Installation {
  const allowlist =
    config.stdio === 'allowlist' ? readStdioAllowlist(config.stdioAllowlist ?? paths.stdioAllowlist) : {};
  const programs = config.production ? {} : servicePrograms(paths);
  const allowAddresses = [...config.upstreamAllowAddresses, ...moreAddresses];
  const policy: ManifestPolicy = {
    stdioAliases: new Set(Object.keys(allowlist)),
    services: new Set(Object.keys(programs)),
    addressProblem: createUpstreamAddressRule({ production: config.production, allowAddresses }),
    currency: config.payments === 'off' ? undefined : readCurrency(paths.offers),
  };
  return { allowlist, programs, allowAddresses, policy };
}
