import { previewImport, stageImport } from '@souk/contract/admin/imports.ts';
import {
  addRegistry,
  browseRegistry,
  checkRegistryUpdates,
  listRegistries,
  listRegistryUpdates,
  removeRegistry,
  renameRegistry,
} from '@souk/contract/catalogue/registries.ts';
import type { Router } from '#platform/http/router.ts';
import type { ChangedBy } from '../registries/registry-store.ts';
import type { Imports } from './create-imports.ts';

export function mountImportRoutes(router: Router, { imports }: { imports: Imports }): void {
  const { registries, updates } = imports;
  const success = { success: true as const };
  const byOf = ({ userId }: { userId: string }): ChangedBy & { actorId: string; via: 'administration' } => ({
    actorId: userId,
    via: 'administration',
  });

  router.route(previewImport, async ({ body }) => ({ ...success, entries: await imports.preview(body) }));
  router.route(stageImport, async ({ caller, body: { entries, reason } }) => ({
    ...success,
    results: await imports.stage(entries, { ...byOf(caller), reason }),
  }));

  router.route(listRegistries, async () => ({ ...success, registries: await registries.list() }));
  router.route(addRegistry, async ({ caller, body }) => ({
    ...success,
    registry: await registries.add(body, byOf(caller)),
  }));
  router.route(renameRegistry, async ({ caller, params, body }) => ({
    ...success,
    registry: await registries.rename(params.id, body.name, byOf(caller)),
  }));
  router.route(removeRegistry, async ({ caller, params }) => {
    await registries.remove(params.id, byOf(caller));
    return success;
  });
  router.route(browseRegistry, async ({ params, query }) => ({
    ...success,
    ...(await imports.browse(params.id, query)),
  }));
  router.route(listRegistryUpdates, async () => ({ ...success, ...(await updates.list()) }));
  router.route(checkRegistryUpdates, async () => ({ ...success, ...(await updates.check()) }));
}
