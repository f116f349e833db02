import {
  disconnectApp,
  listConnectedApps,
  signOutEverywhere,
  type ConnectedApp,
  type WebSession,
} from '@souk/contract/connected-apps.ts';
import { clientName, distinctNames } from '#platform/client-name.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { AuthorizationRow, Authorizations } from './authorizations.ts';
import type { FrontendCookie } from './frontend-cookie.ts';
import { frontendClientId } from './resources.ts';

/** Connected apps and the web app's own sign-ins, for the person whose they are. */
export function mountConnectedAppRoutes(router: Router, authorizations: Authorizations, cookie: FrontendCookie): void {
  router.route(listConnectedApps, async ({ caller, params }) => {
    // Identity comes from the token alone: another's id is an address that does not exist (clarifications, Addresses).
    if (params.userId !== caller.userId) throw new SoukError('not_found');
    const rows = await authorizations.list(caller.userId);
    return {
      success: true as const,
      apps: presentApps(rows.filter((row) => row.client_id !== frontendClientId)),
      webSessions: rows
        .filter((row) => row.client_id === frontendClientId)
        .map((row) => presentWebSession(row, caller.tokenId)),
    };
  });

  router.route(disconnectApp, async ({ caller, params }) => {
    const isOwn = params.userId === caller.userId;
    if (!isOwn || !(await authorizations.end(caller.userId, params.id))) throw new SoukError('not_found');
    return { success: true as const };
  });

  router.route(signOutEverywhere, async ({ caller, reply }) => {
    const signedOut = await authorizations.endEveryBrowser(caller.userId);
    cookie.signOut(reply);
    return { success: true as const, signedOut };
  });
}

/** Newest first, as they came; the oldest of one name has it alone. */
function presentApps(rows: readonly AuthorizationRow[]): ConnectedApp[] {
  const names = distinctNames(rows.toReversed(), (row) => clientName(row.client_name, row.client_version));
  return rows.map((row) => presentApp(row, names.get(row) ?? ''));
}

function presentApp(row: AuthorizationRow, name: string): ConnectedApp {
  const publishedBy = row.client_id.startsWith('https://') ? new URL(row.client_id).host : null;
  const resources = row.resources ?? {};
  const scopes = Object.values(resources).flatMap((text) => text.split(' '));
  return {
    id: row.grant_id,
    clientId: row.client_id,
    clientName: name,
    clientUri: row.client_uri,
    publishedBy,
    verified: publishedBy !== null,
    redirectHost: row.redirect_host,
    scopes: [...new Set(scopes)],
    resources: Object.keys(resources),
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    current: false,
  };
}

function presentWebSession(row: AuthorizationRow, currentGrantId: string): WebSession {
  return {
    id: row.grant_id,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    current: row.grant_id === currentGrantId,
    browserName: row.browser_name,
  };
}
