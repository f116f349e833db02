import { adminAllowanceEndpoints } from '@souk/contract/admin/allowances.ts';
import { adminBillingEndpoints } from '@souk/contract/admin/billing.ts';
import { adminImportEndpoints } from '@souk/contract/admin/imports.ts';
import { adminManifestRunEndpoints } from '@souk/contract/admin/manifest-runs.ts';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { adminSecretEndpoints } from '@souk/contract/admin/secrets.ts';
import { adminOfferEndpoints } from '@souk/contract/admin/offers.ts';
import { adminPersonEndpoints } from '@souk/contract/admin/person.ts';
import { adminServerEndpoints } from '@souk/contract/admin/servers.ts';
import { adminUserEndpoints } from '@souk/contract/admin/users.ts';
import { createClient } from '@souk/contract/client.ts';
import { registryImportEndpoints } from '@souk/contract/catalogue/registries.ts';
import { toolChangeEndpoints } from '@souk/contract/catalogue/tool-changes.ts';
import { adminClientOptions, adminKey } from './admin-client-options.ts';

export { adminClientOptions, adminKey };

/** The client of the administrator's calls, separate so that only this area loads their schemas. */
export const adminApi = createClient(
  [
    ...adminManifestEndpoints,
    ...adminManifestRunEndpoints,
    ...adminImportEndpoints,
    ...registryImportEndpoints,
    ...adminServerEndpoints,
    ...adminSecretEndpoints,
    ...adminAllowanceEndpoints,
    ...adminUserEndpoints,
    ...adminBillingEndpoints,
    ...adminOfferEndpoints,
    ...adminPersonEndpoints,
    ...toolChangeEndpoints,
  ] as const,
  adminClientOptions,
);

export const manifestsKey = (userId: string) => [...adminKey(userId), 'manifests'] as const;
export const serverKey = (userId: string, serverId: string) => [...adminKey(userId), 'server', serverId] as const;
export const usersKey = (userId: string) => [...adminKey(userId), 'users'] as const;
export const adminOffersKey = (userId: string) => [...adminKey(userId), 'offers'] as const;
export const toolChangesKey = (userId: string) => [...adminKey(userId), 'tool-changes'] as const;
export const personKey = (userId: string, personId: string) => [...usersKey(userId), 'person', personId] as const;
