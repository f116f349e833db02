import {
  getRentalOptions,
  getSubscription,
  listCreditPackages,
  listMcpServices,
  listPlans,
  startTrial,
  type SubscriptionAnswer,
  type UserAccess,
} from '@souk/contract/billing/billing.ts';
import { presentServer, type Catalogue, type CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import { accessTo } from '../../entitlement/access-to.ts';
import { readBalance } from '../changes/record-balance.ts';
import type { AccessBook } from '../../entitlement/create-access.ts';
import type { Owned } from '../../entitlement/owned.ts';
import { presentAccess, presentOwned } from './present-access.ts';
import { presentDown, presentService, trialLeft } from './present-service.ts';
import { readOwnedServers } from '../../entitlement/read-owned-servers.ts';
import type { CreditAccount } from '../../credits/accounts/read-account.ts';
import type { OfferStore } from '../offers/offer-store.ts';
import type { ShownOffers } from '../offers/shown-offers.ts';
import type { Prices } from '../prices/create-prices.ts';
import { readNextCharges } from '../subscriptions/reading/read-next-charges.ts';

type Options = {
  access: AccessBook;
  offers: OfferStore;
  prices: Prices;
  shownOffers: Pick<ShownOffers, 'planOf'>;
  db: Pick<Database, 'query'>;
  livemode: boolean;
  /** undefined: nothing is sold. */
  payments: object | undefined;
  credits(userId: string): Promise<CreditAccount>;
  /** The servers that a user has switched off; the upstreams feature passes it in. */
  disabledServers(userId: string): Promise<readonly string[]>;
  catalogue: Catalogue;
  clock: Clock;
};

/** Mounts the offers, and what a user owns of them (specification part 1, section 7: Billing). */
export function mountBillingRoutes(router: Router, options: Options): void {
  mountOffers(router, options);
  mountOwned(router, options);
}

function mountOffers(router: Router, { offers, prices, payments }: Options): void {
  router.route(listPlans, async () => {
    const plans = await offers.plans();
    return {
      success: true as const,
      plans: plans.map((plan) => ({ ...plan, priceId: prices.planPriceId(plan) ?? null })),
    };
  });

  router.route(listCreditPackages, async () => {
    const packages = payments ? await offers.packages() : [];
    return {
      success: true as const,
      packages: packages.map((one) => ({ ...one, stripePriceId: prices.packagePriceId(one) ?? null })),
    };
  });
}

function mountOwned(router: Router, options: Options): void {
  const { access, prices, catalogue, clock } = options;
  const isSelling = options.payments !== undefined;

  function serverOf(mcpId: string): CatalogueServer {
    const server = catalogue.snapshot().byId.get(mcpId);
    if (!server) throw new SoukError('not_found', { message: `There is no server ${mcpId}` });
    return server;
  }

  function accessOf(server: CatalogueServer, owned: Owned): UserAccess {
    const nowMs = clock.now();
    return presentAccess(accessTo(server, owned, nowMs), server, owned, nowMs);
  }

  router.route(getSubscription, async ({ caller: { userId } }) => {
    const [owned, credits] = await Promise.all([access.read(userId), options.credits(userId)]);
    const ownedServer = await readOwnedServers(catalogue, owned, clock.now());
    const { livemode, db } = options;
    const balance = isSelling ? await readBalance(db.query, userId, livemode) : undefined;
    const money = await readNextCharges(db.query, { userId, livemode, nowMs: clock.now() });
    return {
      success: true as const,
      ...presentOwned(owned, ownedServer, money, clock.now()),
      credits: presentCredits(credits),
      // the provider's credits are negative
      ...(balance && { balance: { amountCents: -balance.amount, currency: balance.currency } }),
    };
  });

  router.route(getRentalOptions, async ({ caller: { userId }, params }) => {
    const server = serverOf(params.mcpId);
    const [owned, tried, { available }] = await Promise.all([
      access.read(userId),
      access.triedServers(userId),
      options.credits(userId),
    ]);
    const shown = presentServer(server);
    const { rental } = isSelling && prices.isSold(server) ? (shown.billing ?? {}) : {};
    return {
      success: true as const,
      mcpId: server.id,
      rental: rental ? { ...rental, period: 'monthly' as const } : null,
      creditsAvailable: available,
      trialDays: trialLeft(server, tried),
      isTrialUsed: tried.has(server.id),
      down: presentDown(shown),
      access: accessOf(server, owned),
    };
  });

  router.route(listMcpServices, async ({ caller, params }) => {
    requireOwn(caller, params);
    const [owned, tried, disabled] = await Promise.all([
      access.read(caller.userId),
      access.triedServers(caller.userId),
      options.disabledServers(caller.userId),
    ]);
    const person = { owned, tried, disabled: new Set(disabled) };
    const now = clock.now();
    const services = catalogue
      .snapshot()
      .servers.map((server) => presentService(server, person, options.shownOffers.planOf(server), now));
    return { success: true as const, services };
  });

  router.route(startTrial, async ({ caller, body }) => {
    const server = serverOf(body.mcpId);
    await access.startTrial(caller.userId, server);
    const { name } = server.manifest;
    return {
      success: true as const,
      message: `Your trial of ${name} has begun`,
      access: accessOf(server, await access.read(caller.userId)),
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
