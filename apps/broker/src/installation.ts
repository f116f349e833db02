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

/** The programs and addresses that manifests of this installation may refer to. */
export type Installation = {
  allowlist: StdioAllowlist;
  programs: ServicePrograms;
  /** host:port and CIDR of private upstreams. */
  allowAddresses: readonly string[];
  policy: ManifestPolicy;
};

/**
 * Reads the installation from the configuration. In production, it only runs programs of an allow-list that the operator
 * enabled.
 * @param moreAddresses host:port of upstreams that tests may also reach
 * @param allowances what administrators allowed
 * @throws Error naming the allow-list if it cannot be used
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
