import { tiers, type Tier } from '@souk/contract/tiers.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { tierOf } from '../../entitlement/access-to.ts';
import { isRunning, renews, type Owned, type OwnedServer } from '../../entitlement/owned.ts';

/** Finds the rentals that a user goes on paying for and that a plan of this tier includes. */
export function includedRentals(
  { servers }: Owned,
  tier: Tier,
  { findServer, nowMs }: { findServer(id: string): CatalogueServer | undefined; nowMs: number },
): OwnedServer[] {
  return servers.filter(
    (one) =>
      one.kind === 'rental' && renews(one) && isRunning(one, nowMs) && isIncluded(findServer(one.serverId), tier),
  );
}

/** Whether a plan of this tier includes a server. No plan includes a server that is free for all or no longer offered. */
export function isIncluded(server: CatalogueServer | undefined, tier: Tier): boolean {
  const level = server ? tiers[tierOf(server.manifest)].level : 0;
  return level > 0 && level <= tiers[tier].level;
}
