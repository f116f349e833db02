import type { ConnectedApp, WebSession } from '@souk/contract/connected-apps.ts';
import { clientName, distinctNames } from '#platform/text/client-name.ts';
import type { AuthorizationRow } from '../authorizations.ts';
import { frontendClientId } from '../resources.ts';

/** Separates connected apps from the browsers of the web app. @param currentGrantId the grant of the calling browser */
export function presentConnections(
  rows: readonly AuthorizationRow[],
  currentGrantId?: string,
): { apps: ConnectedApp[]; webSessions: WebSession[] } {
  const apps = rows.filter((row) => row.client_id !== frontendClientId);
  // newest first; of several with one name, the oldest has it without a number
  const names = distinctNames(apps.toReversed(), (row) => clientName(row.client_name, row.client_version));
  return {
    apps: apps.map((row) => presentApp(row, names.get(row) ?? '')),
    webSessions: rows
      .filter((row) => row.client_id === frontendClientId)
      .map((row) => presentWebSession(row, currentGrantId)),
  };
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

function presentWebSession(row: AuthorizationRow, currentGrantId: string | undefined): WebSession {
  return {
    id: row.grant_id,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    current: row.grant_id === currentGrantId,
    browserName: row.browser_name,
  };
}
