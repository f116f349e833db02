import { disconnectApp, listConnectedApps, signOutEverywhere } from '@souk/contract/connected-apps.ts';
import { SoukError } from '#platform/errors.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import type { Authorizations } from '../authorizations.ts';
import type { FrontendCookie } from '../frontend-cookie.ts';
import { presentConnections } from './present-connections.ts';

export function mountConnectedAppRoutes(router: Router, authorizations: Authorizations, cookie: FrontendCookie): void {
  router.route(listConnectedApps, async ({ caller, params }) => {
    requireOwn(caller, params);
    const rows = await authorizations.list(caller.userId);
    return { success: true as const, ...presentConnections(rows, caller.tokenId) };
  });

  router.route(disconnectApp, async ({ caller, params }) => {
    requireOwn(caller, params);
    if (!(await authorizations.end(caller.userId, params.id))) throw new SoukError('not_found');
    return { success: true as const };
  });

  router.route(signOutEverywhere, async ({ caller, reply }) => {
    const signedOut = await authorizations.endEveryBrowser(caller.userId);
    cookie.signOut(reply);
    return { success: true as const, signedOut };
  });
}
