import type { ManifestPolicy } from '#features/catalogue/index.ts';
import { readCurrency } from '#features/billing/index.ts';
import {
  keepsFiles,
  readStdioAllowlist,
  type Allowances,
  type ServicePrograms,
  type StdioAllowlist,
} from '#features/upstreams/index.ts';
import type { Config } from '#platform/config.ts';
import { createUpstreamAddressRule } from '#platform/http/outgoing/upstream-address-rule.ts';
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
 * @param allowances what administrators let in
 * @throws Error naming the allow-list when it cannot be used
 */
export function readInstallation(
  config: Pick<
    Config,
    | 'adminMayAllow'
    | 'offersFile'
    | 'publicUrl'
    | 'production'
    | 'stdio'
    | 'stdioAllowlist'
    | 'upstreamAllowAddresses'
    | 'payments'
  >,
  paths: Paths,
  moreAddresses: readonly string[] = [],
  allowances?: Pick<Allowances, 'addresses' | 'programs'>,
): Installation {
  const allowlist =
    config.stdio === 'allowlist' ? readStdioAllowlist(config.stdioAllowlist ?? paths.stdioAllowlist) : {};
  const programs = config.production ? {} : servicePrograms(paths);
  const allowAddresses = [...config.upstreamAllowAddresses, ...moreAddresses];
  const policy: ManifestPolicy = {
    stdioAliases: { has: (alias) => Object.hasOwn(allowlist, alias) || (allowances?.programs().has(alias) ?? false) },
    keepsFiles: (alias) => {
      const entry = Object.hasOwn(allowlist, alias) ? allowlist[alias] : allowances?.programs().get(alias);
      return entry !== undefined && keepsFiles(entry);
    },
    services: new Set(Object.keys(programs)),
    addressProblem: createUpstreamAddressRule({
      production: config.production,
      allowAddresses,
      limited: allowances?.addresses,
      administratorsMayAllow: config.adminMayAllow.addresses,
      publicUrl: config.publicUrl,
    }),
    currency: config.payments === 'off' ? undefined : readCurrency(config.offersFile ?? paths.offers),
  };
  return { allowlist, programs, allowAddresses, policy };
}
