import {
  getRentalOptions,
  getSubscription,
  listCreditPackages,
  listPlans,
  startTrial,
  type SubscriptionAnswer,
} from '@souk/contract/billing.ts';
import { presentServer, type Catalogue, type CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import { accessTo } from './access/access-to.ts';
import type { AccessBook } from './access/create-access.ts';
import { presentAccess, presentOwned } from './access/present-access.ts';
import type { CreditAccount } from './ledger/read-account.ts';
import type { OfferStore } from './offers/offer-store.ts';

/** What is sold, and what a person has of it (specification part 1, section 7: Billing). */
export function mountBillingRoutes(
  router: Router,
  options: {
    access: AccessBook;
    offers: OfferStore;
    credits(userId: string): Promise<CreditAccount>;
    catalogue: Catalogue;
    clock: Clock;
  },
): void {
  const { access, offers, catalogue, clock } = options;

  function serverOf(mcpId: string): CatalogueServer {
    const server = catalogue.snapshot().byId.get(mcpId);
    if (!server) throw new SoukError('not_found', { message: `There is no server ${mcpId}` });
    return server;
  }

  router.route(listPlans, async () => ({ success: true as const, plans: await offers.plans() }));

  router.route(listCreditPackages, async () => ({ success: true as const, packages: await offers.packages() }));

  router.route(getSubscription, async ({ caller: { userId } }) => {
    const [owned, credits] = await Promise.all([access.read(userId), options.credits(userId)]);
    return { success: true as const, ...presentOwned(owned, clock.now()), credits: presentCredits(credits) };
  });

  router.route(getRentalOptions, async ({ caller: { userId }, params }) => {
    const server = serverOf(params.mcpId);
    const [owned, { available }] = await Promise.all([access.read(userId), options.credits(userId)]);
    const { rental = null, trialDays = null } = presentServer(server).billing ?? {};
    const hadTrial = owned.servers.some(({ kind, serverId }) => kind === 'trial' && serverId === server.id);
    return {
      success: true as const,
      mcpId: server.id,
      rental: rental && { ...rental, period: 'monthly' as const },
      creditsAvailable: available,
      trialDays: hadTrial ? null : trialDays,
      access: presentAccess(accessTo(server, owned, clock.now())),
    };
  });

  router.route(startTrial, async ({ caller, body }) => {
    const server = serverOf(body.mcpId);
    await access.startTrial(caller.userId, server);
    const accessOf = await access.accessOf(caller.userId);
    const { name } = server.manifest;
    return {
      success: true as const,
      message: `Your trial of ${name} has begun`,
      access: presentAccess(accessOf(server)),
    };
  });
}

function presentCredits({ balance, available, held, debt, parts }: CreditAccount): SubscriptionAnswer['credits'] {
  return {
    balance,
    currency: 'USD',
    available,
    held,
    debt,
    parts: parts.map((part) => ({ ...part, expiresAt: part.expiresAt?.toISOString() ?? null })),
  };
}
