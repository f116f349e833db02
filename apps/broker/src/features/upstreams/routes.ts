import { refreshServers } from '@souk/contract/catalogue/catalogue.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Router } from '#platform/http/router.ts';
import { SoukError } from '#platform/errors.ts';
import type { PersonalTools } from './personal-tools/personal-tools.ts';
import type { ServerWatch } from './watch/watch-servers.ts';

/**
 * Mounts POST /mcp/refresh, which discovers the servers again for a signed-in user. A visitor only gets the stored
 * catalogue.
 */
export function mountUpstreamRoutes(
  router: Router,
  {
    catalogue,
    watch,
    personalTools,
  }: { catalogue: Catalogue; watch: ServerWatch; personalTools: Pick<PersonalTools, 'refresh'> },
): void {
  router.route(refreshServers, async ({ caller }) => {
    if (caller?.kind === 'client') throw new SoukError('unauthenticated');
    const refreshed = caller?.kind === 'web' ? watch.refresh(catalogue.snapshot().servers.map(({ id }) => id)) : [];
    if (caller?.kind === 'web') await personalTools.refresh(caller.userId);
    const message =
      refreshed.length > 0
        ? `Refreshing ${refreshed.length} servers`
        : 'The servers were checked a moment ago: this is the current state';
    return { success: true as const, message, refreshed };
  });
}
