import {
  accessContributor,
  checkoutContributor,
  creditsContributor,
  priceApprovalsContributor,
  transactionsContributor,
} from '#features/billing/index.ts';
import { catalogueContributor } from '#features/catalogue/index.ts';
import { diagnosticsContributor } from '#features/diagnostics/index.ts';
import { gatewayContributor } from '#features/gateway/index.ts';
import type { AccountContributor } from '#features/identity/index.ts';
import { noticesContributor } from '#features/notices/index.ts';
import { personalFilesContributor, upstreamContributor } from '#features/upstreams/index.ts';
import { usageByDayContributor, usageContributor } from '#features/usage/index.ts';
import type { App } from '../app-types.ts';
import type { Platform } from './open-platform.ts';

/** Tells identity what each feature stores about a user, so that it is exported and erased with the account. */
export function contributeToAccounts(
  { config, db, clock }: Platform,
  {
    identity,
    billing,
    upstreams,
    subjectKey,
  }: Pick<App, 'identity' | 'billing' | 'upstreams'> & { subjectKey: Uint8Array },
): void {
  const contributors: AccountContributor[] = [
    catalogueContributor(db),
    upstreamContributor(db),
    personalFilesContributor({ dataDir: config.dataDir, subjectKey, pool: upstreams.pool }),
    gatewayContributor(db),
    creditsContributor(db),
    accessContributor({ query: db.query, trialAddresses: billing.trialAddresses }),
    checkoutContributor({ query: db.query, payments: billing.payments }),
    transactionsContributor(db),
    priceApprovalsContributor(db),
    noticesContributor(db),
    usageContributor({ query: db.query, clock }),
    usageByDayContributor(db),
    diagnosticsContributor(db),
  ];
  for (const contributor of contributors) identity.accountContributors.add(contributor);
}
