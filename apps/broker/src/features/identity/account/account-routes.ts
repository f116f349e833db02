import { deleteMyAccount, exportMyData } from '@souk/contract/account.ts';
import { foldEmail } from '@souk/contract/fold-email.ts';
import type { Clock } from '#platform/clock.ts';
import { SoukError } from '#platform/errors.ts';
import type { Downloads } from '#platform/http/answers/downloads.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import type { FrontendCookie } from '../oauth/frontend-cookie.ts';
import type { UserStore } from '../users/user-store.ts';
import type { AccountContributors } from './account-contributors.ts';
import { writeExport } from './write-export.ts';

/** Mounts the export and the deletion of the user's own data. */
export function mountAccountRoutes(
  router: Router,
  parts: {
    users: UserStore;
    contributors: AccountContributors;
    clock: Clock;
    downloads: Downloads;
    cookie: FrontendCookie;
    deleteAccount(userId: string): Promise<void>;
  },
): void {
  router.route(exportMyData, async ({ caller, params, reply }) => {
    requireOwn(caller, params);
    const exportedAt = new Date(parts.clock.now()).toISOString();
    return parts.downloads.send(reply, caller.userId, {
      name: `my-data-${exportedAt.slice(0, 10)}.json`,
      type: 'application/json; charset=utf-8',
      pieces: writeExport(parts.contributors.all(), caller.userId, exportedAt),
    });
  });

  router.route(deleteMyAccount, async ({ caller, params, body, reply }) => {
    requireOwn(caller, params);
    const user = await parts.users.find(caller.userId);
    if (!user) throw new SoukError('unauthenticated');
    if (foldEmail(body.confirm.trim()) !== foldEmail(user.email)) throw new SoukError('account_not_confirmed');
    await parts.deleteAccount(user.id);
    parts.cookie.signOut(reply);
    return { success: true as const };
  });
}
