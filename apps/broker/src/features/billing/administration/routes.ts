import {
  addUserSubscription,
  getUserBilling,
  removeUserSubscription,
  setUserCredits,
} from '@souk/contract/admin/billing.ts';
import { listPersonLedger, listPersonPayments, previewRefund, refundPayment } from '@souk/contract/admin/person.ts';
import { listServerOwners, listServerRenters } from '@souk/contract/admin/servers.ts';
import { requireRecentSignIn } from '#features/identity/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Router } from '#platform/http/router.ts';
import type { Prices } from '../shop/prices/create-prices.ts';
import type { StoredPrice } from '../shop/prices/price-store.ts';
import type { Administration } from './create-administration.ts';

/**
 * Mounts the endpoints by which administrators see and change users' credits, plans and servers (specification part 2, section
 * 7).
 */
export function mountAdministrationRoutes(
  router: Router,
  { administration, prices, clock }: { administration: Administration; prices: Pick<Prices, 'priceOf'>; clock: Clock },
): void {
  const success = { success: true as const };

  router.route(getUserBilling, async ({ params }) => {
    const { user, billing } = await administration.show(params.userId);
    return { ...success, user: { ...user, createdAt: user.createdAt.toISOString() }, billing };
  });

  router.route(setUserCredits, async ({ caller, params, body }) => {
    const { reason, ...wanted } = body;
    const change = await administration.setCredits(params.id, wanted, { actorId: caller.userId, reason });
    return { ...success, credits: wanted.credits, change };
  });

  router.route(addUserSubscription, async ({ caller, params, body }) => {
    const { reason, ...wanted } = body;
    const { id, endsAt } = await administration.give(params.id, wanted, { actorId: caller.userId, reason });
    return { ...success, id, endsAt: endsAt?.toISOString() ?? null };
  });

  router.route(removeUserSubscription, async ({ caller, params, body }) => {
    if (body.refund === 'prorata') requireRecentSignIn(caller, clock);
    const removal = await administration.remove(params.id, params.subscriptionId, { actorId: caller.userId, ...body });
    return { ...success, ...removal };
  });

  router.route(listPersonLedger, async ({ params, query }) => ({
    ...success,
    ...(await administration.ledger(params.id, query)),
  }));

  router.route(listPersonPayments, async ({ params, query }) => ({
    ...success,
    ...(await administration.paymentsOf(params.id, query)),
  }));

  router.route(previewRefund, async ({ params, query }) => ({
    ...success,
    ...(await administration.previewRefund({ userId: params.id, paymentId: params.paymentId }, query.amountCents)),
  }));

  router.route(refundPayment, async ({ caller, params, body: { reason, ...wanted } }) => {
    requireRecentSignIn(caller, clock);
    const of = { userId: params.id, paymentId: params.paymentId };
    return { ...success, ...(await administration.refund(of, wanted, { actorId: caller.userId, reason })) };
  });

  router.route(listServerOwners, async ({ params, query }) => ({
    ...success,
    ...(await administration.owners(params.id, query.page)),
  }));

  router.route(listServerRenters, async ({ params, query }) => ({
    ...success,
    ...(await administration.renters(params.id, query.page)),
    price: presentPrice(prices.priceOf('rental', params.id)),
  }));
}

const presentPrice = (price: StoredPrice | undefined) =>
  price
    ? { productId: price.productId, priceId: price.priceId, amountCents: price.amount, currency: price.currency }
    : null;
