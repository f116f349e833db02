import {
  cancelRental,
  cancelSubscription,
  changeCard,
  changeSubscription,
  getOpenPayment,
  listPaymentMethods,
  resumeRental,
  resumeSubscription,
} from '@souk/contract/billing/payments.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { AccessBook } from '../../entitlement/create-access.ts';
import { withPatience } from '../checkout/patience.ts';
import type { Subscriptions } from './create-subscriptions.ts';
import { setEndOfGiven } from './ends/end-given.ts';

export function mountSubscriptionRoutes(
  router: Router,
  parts: {
    payments: { subscriptions: Subscriptions } | undefined;
    access: Pick<AccessBook, 'read' | 'announce'>;
    query: Query;
    clock: Clock;
  },
): void {
  const { payments } = parts;
  function requirePayments(): Subscriptions {
    if (!payments) throw new SoukError('payments_off');
    return payments.subscriptions;
  }
  const success = { success: true as const };
  const change = <T>(work: Promise<T>) => withPatience(work, { changes: true });

  router.route(cancelRental, async ({ caller, params, body }) => ({
    ...success,
    ...(await change(requirePayments().ends.cancelRental(caller.userId, params.mcpId, body.shown))),
  }));
  router.route(resumeRental, async ({ caller, params }) => ({
    ...success,
    ...(await change(requirePayments().ends.resumeRental(caller.userId, params.mcpId))),
  }));
  router.route(cancelSubscription, async ({ caller: { userId }, params: { id }, body }) => ({
    ...success,
    ...(payments
      ? await change(payments.subscriptions.ends.cancelPlan(userId, id, body.shown))
      : await setEndOfGiven(parts, { userId, id, isCancelled: true })),
  }));
  router.route(resumeSubscription, async ({ caller: { userId }, params: { id } }) => ({
    ...success,
    ...(payments
      ? await change(payments.subscriptions.ends.resumePlan(userId, id))
      : await setEndOfGiven(parts, { userId, id, isCancelled: false })),
  }));
  router.route(changeSubscription, async ({ caller, params, body }) => ({
    ...success,
    ...(await withPatience(requirePayments().changePlan(caller.userId, params.id, body), { changes: !body.preview })),
  }));
  router.route(changeCard, async ({ caller, body }) => ({
    ...success,
    ...(await withPatience(requirePayments().openPortal(caller.userId, body))),
  }));
  router.route(listPaymentMethods, async ({ caller }) => ({
    ...success,
    paymentMethods: await withPatience(requirePayments().listPaymentMethods(caller.userId)),
  }));
  router.route(getOpenPayment, async ({ caller, params }) => ({
    ...success,
    ...(await withPatience(requirePayments().findOpenPayment(caller.userId, params.id))),
  }));
}
