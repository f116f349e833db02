import {
  addUserSubscription,
  getUserBilling,
  removeUserSubscription,
  setUserCredits,
} from '@souk/contract/admin-billing.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import { LedgerConflict } from '../ledger/change-credits.ts';
import { noSuchUser, type AdministrationGiven } from './administration-given.ts';
import { giveAccess } from './give-access.ts';
import { presentUserBilling } from './present-user-billing.ts';
import { removeAccess } from './remove-access.ts';

/** What administrators see and change of people's credits, plans and servers (specification part 2, section 7). */
export function mountAdministrationRoutes(router: Router, options: Omit<AdministrationGiven, 'keepUser'>): void {
  const given: AdministrationGiven = {
    ...options,
    async keepUser(query, userId) {
      if (!(await options.directory.keep(query, userId))) throw noSuchUser();
    },
  };
  const { access, ledger, directory, clock, uuid } = given;
  const success = { success: true as const };

  router.route(getUserBilling, async ({ params }) => {
    const user = await directory.find(params.userId);
    if (!user) throw noSuchUser();
    const [owned, credits] = await Promise.all([access.read(user.id), ledger.account(user.id)]);
    return {
      ...success,
      user: { ...user, createdAt: user.createdAt.toISOString() },
      billing: presentUserBilling(owned, credits, clock.now()),
    };
  });

  router.route(setUserCredits, async ({ caller, params, body }) => {
    const { credits, expectedBalance, reason } = body;
    const user = await directory.find(params.id);
    if (!user) throw noSuchUser();
    const wanted = { userId: user.id, credits, expectedBalance, reason, idem: `adjustment:${uuid()}` };
    try {
      const change = await ledger.setBalance(wanted, { actorId: caller.userId }, (query) =>
        given.keepUser(query, user.id),
      );
      return { ...success, credits, change };
    } catch (error) {
      if (!(error instanceof LedgerConflict) || error.code === 'key_used') throw error;
      throw new SoukError(error.code, { message: error.message });
    }
  });

  router.route(addUserSubscription, async ({ caller, params, body }) => {
    const { id, endsAt } = await giveAccess(given, params.id, body, { actorId: caller.userId });
    return { ...success, id, endsAt: endsAt?.toISOString() ?? null };
  });

  router.route(removeUserSubscription, async ({ caller, params, body }) => ({
    ...success,
    refund: null,
    ...(await removeAccess(given, params.id, params.subscriptionId, { actorId: caller.userId, reason: body.reason })),
  }));
}
