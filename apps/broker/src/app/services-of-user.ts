import type { EntitlementPolicy } from '#features/billing/index.ts';
import type { CatalogueServer, CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { IdentityOptions } from '#features/identity/index.ts';

/** Tells identity, which knows no other feature, what the consent page says about services. */
export function servicesOfUser({
  snapshot,
  entitlement,
  disabledServers,
  isAccountMissing,
}: {
  snapshot(): CatalogueSnapshot;
  entitlement: EntitlementPolicy;
  disabledServers(userId: string): ReadonlySet<string> | Promise<ReadonlySet<string>>;
  isAccountMissing(userId: string, server: CatalogueServer): Promise<boolean>;
}): NonNullable<IdentityOptions['services']> {
  return {
    nameOf: (serverId) => snapshot().byId.get(serverId)?.manifest.name,
    async enabledBy(userId) {
      const [isEntitled, disabled] = await Promise.all([entitlement(userId), disabledServers(userId)]);
      const enabled = snapshot().servers.filter((server) => isEntitled(server) && !disabled.has(server.id));
      return enabled.map(({ manifest }) => manifest.name).toSorted();
    },
    async obstaclesOf(userId, serverId) {
      const server = snapshot().byId.get(serverId);
      if (!server) return { isOutsidePlan: false, needsAccount: false };
      const [isEntitled, needsAccount] = await Promise.all([entitlement(userId), isAccountMissing(userId, server)]);
      return { isOutsidePlan: !isEntitled(server), needsAccount };
    },
  };
}
