import type { Catalogue } from '#features/catalogue/index.ts';
import type { Owned } from './owned.ts';

/** What a person sees of a server that they rent. */
export type RentedServer = {
  name: string;
  /** false: it was undeployed. */
  isOffered: boolean;
};

/** One server that someone rents, also after it was undeployed: then by the name that it had last. */
export async function readRentedServer(
  catalogue: Pick<Catalogue, 'snapshot' | 'versions'>,
  serverId: string,
): Promise<RentedServer> {
  const server = catalogue.snapshot().byId.get(serverId);
  if (server) return { name: server.manifest.name, isOffered: true };
  const versions = await catalogue.versions(serverId);
  const last = versions.toSorted((a, b) => (b.deployedAt?.getTime() ?? 0) - (a.deployedAt?.getTime() ?? 0))[0];
  return { name: last?.name ?? serverId, isOffered: false };
}

/** The servers that a person rents, also those that were undeployed since. */
export async function readRented(
  catalogue: Pick<Catalogue, 'snapshot' | 'versions'>,
  { servers }: Owned,
): Promise<(serverId: string) => RentedServer> {
  const rented = new Map<string, RentedServer>();
  for (const { kind, serverId } of servers)
    if (kind === 'rental' && !rented.has(serverId)) rented.set(serverId, await readRentedServer(catalogue, serverId));
  return (serverId) => rented.get(serverId) ?? { name: serverId, isOffered: false };
}
