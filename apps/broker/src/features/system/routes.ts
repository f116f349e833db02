import { getSystem, runSystemChecks } from '@souk/contract/admin/system.ts';
import type { Router } from '#platform/http/router.ts';
import type { SystemView } from './create-system.ts';

export function mountSystemRoutes(router: Router, { system }: { system: SystemView }): void {
  router.route(getSystem, async () => ({ success: true as const, system: await system.read() }));
  router.route(runSystemChecks, async () => {
    const { ranAt, checks } = await system.check();
    return { success: true as const, ranAt: ranAt.toISOString(), checks };
  });
}
