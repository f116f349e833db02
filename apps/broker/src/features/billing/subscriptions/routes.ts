import {
  cancelRental,
  cancelSubscription,
  changeSubscription,
  getOpenPayment,
  resumeRental,
  resumeSubscription,
} from '@souk/contract/payments.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { Subscriptions } from './create-subscriptions.ts';

/** The end, the resumption and the change of what a person pays for each month. */
export function mountSubscriptionRoutes(
  router: Router,
  { payments }: { payments: { subscriptions: Subscriptions } | undefined },
): void {
  function need(): Subscriptions {
    if (!payments) throw new SoukError('payments_off');
    return payments.subscriptions;
  }
  const success = { success: true as const };

  router.route(cancelRental, async ({ caller, params }) => ({
    ...success,
    ...(await need().ends.cancelRental(caller.userId, params.mcpId)),
  }));
  router.route(resumeRental, async ({ caller, params }) => ({
    ...success,
    ...(await need().ends.resumeRental(caller.userId, params.mcpId)),
  }));
  router.route(cancelSubscription, async ({ caller, params }) => ({
    ...success,
    ...(await need().ends.cancelPlan(caller.userId, params.id)),
  }));
  router.route(resumeSubscription, async ({ caller, params }) => ({
    ...success,
    ...(await need().ends.resumePlan(caller.userId, params.id)),
  }));
  router.route(changeSubscription, async ({ caller, params, body }) => ({
    ...success,
    ...(await need().changePlan(caller.userId, params.id, body)),
  }));
  router.route(getOpenPayment, async ({ caller, params }) => ({
    ...success,
    ...(await need().findOpenPayment(caller.userId, params.id)),
  }));
}
