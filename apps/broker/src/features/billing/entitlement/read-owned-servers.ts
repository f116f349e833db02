import type { Tier } from '@souk/contract/tiers.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import { tierOf } from './access-to.ts';
import { isShown, type Owned } from './owned.ts';

export type OwnedServerFacts = {
  name: string;
  /** false: it was undeployed. */
  isOffered: boolean;
  /** null where it was undeployed. */
  tier: Tier | null;
};

/** Reads the facts of one server; an undeployed server has its last name. */
export async function readOwnedServer(
  catalogue: Pick<Catalogue, 'snapshot' | 'versions'>,
  serverId: string,
): Promise<OwnedServerFacts> {
  const server = catalogue.snapshot().byId.get(serverId);
  if (server) return { name: server.manifest.name, isOffered: true, tier: tierOf(server.manifest) };
  const versions = await catalogue.versions(serverId);
  const last = versions.toSorted((a, b) => (b.deployedAt?.getTime() ?? 0) - (a.deployedAt?.getTime() ?? 0))[0];
  return { name: last?.name ?? serverId, isOffered: false, tier: null };
}

/**
 * Reads the facts of the servers that a user owns and still sees, including undeployed ones. Each undeployed server takes a
 * query, so access that has ended is left out.
 */
export async function readOwnedServers(
  catalogue: Pick<Catalogue, 'snapshot' | 'versions'>,
  { servers }: Owned,
  nowMs: number,
): Promise<(serverId: string) => OwnedServerFacts> {
  const facts = new Map<string, OwnedServerFacts>();
  for (const { serverId } of servers.filter((server) => isShown(server, nowMs)))
    if (!facts.has(serverId)) facts.set(serverId, await readOwnedServer(catalogue, serverId));
  return (serverId) => facts.get(serverId) ?? { name: serverId, isOffered: false, tier: null };
}
