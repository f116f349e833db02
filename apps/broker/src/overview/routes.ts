import { getAdminFigures, getAdminNeeds } from '@souk/contract/admin/overview.ts';
import type { Router } from '#platform/http/router.ts';
import type { Overview } from './create-overview.ts';

export function mountOverview(router: Router, { overview }: { overview: Overview }): void {
  const success = { success: true as const };
  router.route(getAdminNeeds, async () => ({ ...success, ...(await overview.needs()) }));
  router.route(getAdminFigures, async () => ({ ...success, ...(await overview.figures()) }));
}
