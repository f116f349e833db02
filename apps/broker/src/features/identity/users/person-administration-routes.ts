import {
  disconnectPersonApp,
  exportPerson,
  getPerson,
  listPersonConnections,
  listPersonSignIns,
  maxRowsPerPage,
  revokePersonToken,
  signOutPerson,
} from '@souk/contract/admin/person.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Downloads } from '#platform/http/answers/downloads.ts';
import type { Router } from '#platform/http/router.ts';
import type { AccountContributors } from '../account/account-contributors.ts';
import { writeExport } from '../account/write-export.ts';
import { requireRecentSignIn } from '../authentication/require-recent-sign-in.ts';
import type { Authorizations } from '../oauth/authorizations.ts';
import { presentConnections } from '../oauth/connected-apps/present-connections.ts';
import { readSignIns } from '../sign-ins/sign-in-store.ts';
import type { PersonalTokens } from '../tokens/personal-tokens.ts';
import { lastSeen } from './look-up-users.ts';
import type { UserAdministration } from './user-administration.ts';
import type { UserDirectory } from './user-directory.ts';

/** Mounts a user's page for administrators: what they are signed in with, and how to end it. */
export function mountPersonAdministration(
  router: Router,
  parts: {
    query: Query;
    directory: UserDirectory;
    administration: UserAdministration;
    authorizations: Pick<Authorizations, 'list'>;
    tokens: Pick<PersonalTokens, 'list'>;
    contributors: Pick<AccountContributors, 'all'>;
    downloads: Downloads;
    clock: Clock;
  },
): void {
  const { query, directory, administration, authorizations, tokens, clock } = parts;
  const success = { success: true as const };

  async function find(userId: string): Promise<string> {
    const user = await directory.find(userId);
    if (!user) throw new SoukError('not_found', { message: 'There is no such user' });
    return user.id;
  }

  router.route(getPerson, async ({ params }) => {
    const id = await find(params.id);
    const [user, lastSeenAt] = await Promise.all([directory.show(id), lastSeen(query, id)]);
    if (!user) throw new SoukError('not_found', { message: 'There is no such user' });
    return { ...success, user, lastSeenAt: lastSeenAt?.toISOString() ?? null };
  });

  router.route(listPersonConnections, async ({ params }) => {
    const id = await find(params.id);
    const [rows, own] = await Promise.all([authorizations.list(id), tokens.list(id)]);
    const { apps, webSessions } = presentConnections(rows);
    return {
      ...success,
      apps: apps.slice(0, maxRowsPerPage),
      webSessions: webSessions.slice(0, maxRowsPerPage),
      tokens: own.slice(0, maxRowsPerPage),
    };
  });

  router.route(disconnectPersonApp, async ({ caller, params, body: { reason } }) => {
    await administration.disconnectApp(await find(params.id), params.appId, { actorId: caller.userId, reason });
    return success;
  });

  router.route(revokePersonToken, async ({ caller, params, body: { reason } }) => {
    await administration.revokeToken(await find(params.id), params.tokenId, { actorId: caller.userId, reason });
    return success;
  });

  router.route(listPersonSignIns, async ({ params, query: page }) => ({
    ...success,
    ...(await readSignIns(query, await find(params.id), page)),
  }));

  router.route(signOutPerson, async ({ caller, params, body: { reason, ...how } }) => {
    requireRecentSignIn(caller, clock);
    return { ...success, ...(await administration.signOut(params.id, how, { actorId: caller.userId, reason })) };
  });

  router.route(exportPerson, async ({ caller, params, body: { reason }, reply }) => {
    requireRecentSignIn(caller, clock);
    const id = await find(params.id);
    await administration.recordExport(id, { actorId: caller.userId, reason });
    const exportedAt = new Date(clock.now()).toISOString();
    return parts.downloads.send(reply, caller.userId, {
      name: `user-${id}-${exportedAt.slice(0, 10)}.json`,
      type: 'application/json; charset=utf-8',
      pieces: writeExport(parts.contributors.all(), id, exportedAt),
    });
  });
}
