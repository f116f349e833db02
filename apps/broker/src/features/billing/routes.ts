import {
  getRentalOptions,
  getSubscription,
  listCreditPackages,
  listMcpServices,
  listPlans,
  startTrial,
  type SubscriptionAnswer,
} from '@souk/contract/billing.ts';
import { presentServer, type Catalogue, type CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import { SoukError } from '#platform/errors.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import { accessTo } from './access/access-to.ts';
import type { AccessBook } from './access/create-access.ts';
import { presentAccess, presentOwned } from './access/present-access.ts';
import { presentService, trialLeft } from './access/present-service.ts';
import { readRented } from './access/read-rented.ts';
import type { CreditAccount } from './ledger/read-account.ts';
import type { OfferStore } from './offers/offer-store.ts';
import type { Prices } from './prices/create-prices.ts';

/** What is sold, and what a person has of it (specification part 1, section 7: Billing). */
export function mountBillingRoutes(
  router: Router,
  options: {
    access: AccessBook;
    offers: OfferStore;
    prices: Prices;
    /** undefined: nothing is sold. */
    payments: object | undefined;
    credits(userId: string): Promise<CreditAccount>;
    /** The servers that a person has switched off, which the feature above knows. */
    disabledServers(userId: string): Promise<readonly string[]>;
    catalogue: Catalogue;
    clock: Clock;
  },
): void {
  const { access, offers, prices, catalogue, clock } = options;
  const isSelling = options.payments !== undefined;

  function serverOf(mcpId: string): CatalogueServer {
    const server = catalogue.snapshot().byId.get(mcpId);
    if (!server) throw new SoukError('not_found', { message: `There is no server ${mcpId}` });
    return server;
  }

  router.route(listPlans, async () => {
    const plans = await offers.plans();
    return {
      success: true as const,
      plans: plans.map((plan) => ({ ...plan, priceId: prices.planPriceId(plan) ?? null })),
    };
  });

  router.route(listCreditPackages, async () => {
    const packages = isSelling ? await offers.packages() : [];
    return {
      success: true as const,
      packages: packages.map((one) => ({ ...one, stripePriceId: prices.packagePriceId(one) ?? null })),
    };
  });

  router.route(getSubscription, async ({ caller: { userId } }) => {
    const [owned, credits] = await Promise.all([access.read(userId), options.credits(userId)]);
    const rentedServer = await readRented(catalogue, owned);
    return {
      success: true as const,
      ...presentOwned(owned, rentedServer, clock.now()),
      credits: presentCredits(credits),
    };
  });

  router.route(getRentalOptions, async ({ caller: { userId }, params }) => {
    const server = serverOf(params.mcpId);
    const [owned, { available }] = await Promise.all([access.read(userId), options.credits(userId)]);
    const { rental } = isSelling && prices.isSold(server) ? (presentServer(server).billing ?? {}) : {};
    return {
      success: true as const,
      mcpId: server.id,
      rental: rental ? { ...rental, period: 'monthly' as const } : null,
      creditsAvailable: available,
      trialDays: trialLeft(server, owned),
      access: presentAccess(accessTo(server, owned, clock.now())),
    };
  });

  router.route(listMcpServices, async ({ caller, params }) => {
    requireOwn(caller, params);
    const [owned, disabled] = await Promise.all([access.read(caller.userId), options.disabledServers(caller.userId)]);
    const person = { owned, disabled: new Set(disabled) };
    const now = clock.now();
    const services = catalogue.snapshot().servers.map((server) => presentService(server, person, now));
    return { success: true as const, services };
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
