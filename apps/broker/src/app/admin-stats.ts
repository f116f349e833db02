import { getAdminStats } from '@souk/contract/admin/users.ts';
import type { OwnedCounts } from '#features/billing/index.ts';
import { isDown, type CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Router } from '#platform/http/router.ts';

/** Mounts the figures of several features on one page (specification part 2, section 7: /admin/dashboard/stats). */
export function mountAdminStats(
  router: Router,
  parts: {
    countUsers(): Promise<{ total: number; active: number }>;
    snapshot(): CatalogueSnapshot;
    countOwned(): Promise<OwnedCounts>;
  },
): void {
  router.route(getAdminStats, async () => {
    const [users, access] = await Promise.all([parts.countUsers(), parts.countOwned()]);
    const { servers } = parts.snapshot();
    return {
      success: true as const,
      stats: {
        users,
        servers: {
          deployed: servers.length,
          connected: servers.filter(({ status }) => status === 'connected').length,
          down: servers.filter(isDown).length,
        },
        access,
      },
    };
  });
}
