import { getServerDifferences } from '@souk/contract/admin/servers.ts';
import type { Router } from '#platform/http/router.ts';
import { readDifferences } from './read-differences.ts';

export function mountDifferenceRoutes(router: Router, parts: Parameters<typeof readDifferences>[0]): void {
  router.route(getServerDifferences, async ({ params, query }) => ({
    success: true as const,
    ...(await readDifferences(parts, params.id, query)),
  }));
}
