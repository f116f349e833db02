import { adminBillingEndpoints } from '@souk/contract/admin-billing.ts';
import { adminManifestRunEndpoints } from '@souk/contract/admin-manifest-runs.ts';
import { adminManifestEndpoints } from '@souk/contract/admin-manifests.ts';
import { adminServerEndpoints } from '@souk/contract/admin-servers.ts';
import { adminUserEndpoints } from '@souk/contract/admin-users.ts';
import { createClient, type ClientOptions } from '@souk/contract/client.ts';
import { errorCatalogue } from '@souk/contract/errors.ts';
import { toolChangeEndpoints } from '@souk/contract/tool-changes.ts';
import { accountKey } from '#web/account-key.ts';
import { clientOptions } from '#web/api.ts';

/** No call is sent without a session, and a 403 has a text of its own (spec part 2, section 8). */
export const adminClientOptions: ClientOptions = {
  ...clientOptions,
  needsToken: true,
  forbiddenText: errorCatalogue.admin_required.message,
};

/** The administrator's calls, in a client of their own: only this area loads their schemas. */
export const adminApi = createClient(
  [
    ...adminManifestEndpoints,
    ...adminManifestRunEndpoints,
    ...adminServerEndpoints,
    ...adminUserEndpoints,
    ...adminBillingEndpoints,
    ...toolChangeEndpoints,
  ] as const,
  adminClientOptions,
);

/** First part of the key of every query of the area: a change of a manifest or a user invalidates what it touches. */
export const adminKey = (userId: string) => [...accountKey(userId), 'admin'] as const;
export const manifestsKey = (userId: string) => [...adminKey(userId), 'manifests'] as const;
export const serverKey = (userId: string, serverId: string) => [...adminKey(userId), 'server', serverId] as const;
export const usersKey = (userId: string) => [...adminKey(userId), 'users'] as const;
export const toolChangesKey = (userId: string) => [...adminKey(userId), 'tool-changes'] as const;
