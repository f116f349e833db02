import { createAdministration } from '#features/billing/index.ts';
import { createAllowances } from '#features/upstreams/index.ts';
import { createRecentUse } from '#features/usage/index.ts';
import { weakKeyInUseText, weaknessOf } from '#platform/crypto/weak-master-key.ts';
import type { AppOptions } from '../app-types.ts';
import { readInstallation } from '../installation.ts';
import { createRefusals } from '../refusals/refusals.ts';
import { contributeToAccounts } from './contribute-to-accounts.ts';
import { joinBilling } from './join-billing.ts';
import { joinCatalogue } from './join-catalogue.ts';
import { joinGateway } from './join-gateway.ts';
import { joinIdentity } from './join-identity.ts';
import { joinNotices } from './join-notices.ts';
import { joinUpstreams } from './join-upstreams.ts';
import { joinUsage } from './join-usage.ts';
import type { Platform } from './open-platform.ts';

export type Features = Awaited<ReturnType<typeof joinFeatures>>;

/** Builds the features bottom-up, each with the parts of the others that it needs. */
export async function joinFeatures(platform: Platform, options: AppOptions) {
  const { config, log, clock, ids, db, masterKey } = platform;
  const { resolve } = platform.outbound.outgoing;
  const allowances = await createAllowances({ ...options, db, resolve, clock });
  const installation = readInstallation(config, platform.paths, options.allowAddresses, allowances);

  const { identity, diagnostics } = await joinIdentity(platform, options.identity, {
    catalogue: () => catalogue,
    upstreams: () => upstreams,
    billing: () => billing,
    administration: () => administration,
  });
  // only now: identity has opened its secrets, which proves that this is their key
  const weakKey = weaknessOf(masterKey);
  if (weakKey !== undefined) log.warn(`${weakKey} ${weakKeyInUseText}`);

  const { catalogue, icons, people } = await joinCatalogue(platform, installation, () => billing.livemode);
  const recentUse = createRecentUse({ query: db.query, clock, log });
  const subjectKey = await platform.keptKey('service-subject');
  const { upstreams, imports, manifestRuns, allowList } = await joinUpstreams(platform, {
    options,
    installation,
    allowances,
    catalogue,
    people,
    subjectKey,
    isUsed: recentUse.has,
    onStaged: (manifest) => billing.prices.stageRental(manifest),
  });
  const refusals = createRefusals(log);
  const usageParts = await joinUsage(platform, { catalogue, upstreams, recentUse, refusals });
  const { usage } = usageParts;
  const billingParts = await joinBilling(platform, { options, identity, catalogue, people, usage });
  const { billing } = billingParts;
  const gatewayParts = { options, identity, diagnostics, catalogue, upstreams, billing, refusals };
  const gateway = await joinGateway(platform, gatewayParts);
  const { directory } = identity;
  const administration = createAdministration({ ...billing, db, catalogue, directory, uuid: ids.uuid, clock, log });
  const notices = await joinNotices(platform, { identity, allowAddresses: installation.allowAddresses });
  contributeToAccounts(platform, { identity, billing, upstreams, subjectKey });
  return {
    ...usageParts,
    ...billingParts,
    administration,
    allowances,
    allowList,
    catalogue,
    diagnostics,
    gateway,
    icons,
    identity,
    imports,
    manifestRuns,
    notices,
    people,
    policy: installation.policy,
    refusals,
    upstreams,
    weakKey,
  };
}
