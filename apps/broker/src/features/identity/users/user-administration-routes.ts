import { activateUser, deactivateUser, eraseUser, listUsers } from '@souk/contract/admin/users.ts';
import type { Clock } from '#platform/clock.ts';
import type { Router } from '#platform/http/router.ts';
import { requireRecentSignIn } from '../authentication/require-recent-sign-in.ts';
import type { UserAdministration } from './user-administration.ts';
import type { UserDirectory } from './user-directory.ts';

/** Mounts the administration of accounts (specification part 2, section 7; design: deactivate, activate, erase). */
export function mountUserAdministration(
  router: Router,
  { directory, administration, clock }: { directory: UserDirectory; administration: UserAdministration; clock: Clock },
): void {
  const success = { success: true as const };

  router.route(listUsers, async ({ query: { page, limit, active, ...wanted } }) => {
    const isActive = active === undefined ? undefined : active === 'true';
    const { users, total, counts } = await directory.list({ ...wanted, isActive, page, limit });
    const pages = Math.max(1, Math.ceil(total / limit));
    return { ...success, users, pagination: { page, limit, total, pages }, active: counts.active, all: counts.total };
  });

  router.route(deactivateUser, async ({ caller, params, body: { reason, ...how } }) => {
    requireRecentSignIn(caller, clock);
    return { ...success, ...(await administration.deactivate(params.id, how, { actorId: caller.userId, reason })) };
  });

  router.route(activateUser, async ({ caller, params, body: { reason } }) => ({
    ...success,
    ...(await administration.activate(params.id, { actorId: caller.userId, reason })),
  }));

  router.route(eraseUser, async ({ caller, params, body: { confirm, reason } }) => {
    requireRecentSignIn(caller, clock);
    await administration.erase(params.id, confirm, { actorId: caller.userId, reason });
    return success;
  });
}
