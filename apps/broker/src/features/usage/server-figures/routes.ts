import { getServerFigures, listServerTools } from '@souk/contract/admin/servers.ts';
import type { Router } from '#platform/http/router.ts';
import type { ServerUse } from './create-server-figures.ts';

export function mountServerFigures(router: Router, { serverFigures }: { serverFigures: ServerUse }): void {
  const success = { success: true as const };
  router.route(getServerFigures, async ({ params }) => ({ ...success, ...(await serverFigures.read(params.id)) }));
  router.route(listServerTools, async ({ params }) => ({ ...success, ...(await serverFigures.readTools(params.id)) }));
}
