import { getSpendCap, setSpendCap } from '@souk/contract/billing/billing.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import type { Ledger } from '../ledger.ts';

/** Mounts the limit of what a user's calls may spend in a month (UTC), and what they have spent so far. */
export function mountSpendCapRoutes(
  router: Router,
  { ledger }: { ledger: Pick<Ledger, 'account' | 'setMonthlyCap'> },
): void {
  async function present(userId: string) {
    const { monthlyCap = null, spentThisMonth, monthEndsAt } = await ledger.account(userId);
    return { success: true as const, monthlyCap, spentThisMonth, resetsAt: monthEndsAt.toISOString() };
  }

  router.route(getSpendCap, async ({ caller, params }) => {
    requireOwn(caller, params);
    return present(caller.userId);
  });

  router.route(setSpendCap, async ({ caller, params, body }) => {
    requireOwn(caller, params);
    await ledger.setMonthlyCap(caller.userId, body.monthlyCap ?? undefined);
    return present(caller.userId);
  });
}
