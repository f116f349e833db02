import { listConnections } from '@souk/contract/connection-log.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { ConnectionLog } from './create-connection-log.ts';

export function mountConnectionLogRoutes(router: Router, log: ConnectionLog): void {
  router.route(listConnections, async ({ caller, params }) => {
    // Identity comes from the token alone: another's id is an address that does not exist (clarifications, Addresses).
    if (params.userId !== caller.userId) throw new SoukError('not_found');
    return { success: true as const, attempts: await log.list(caller.userId) };
  });
}
