import type { Catalogue } from '#features/catalogue/index.ts';
import type { Owned } from './owned.ts';

/** What a person sees of a server that they rent. */
export type RentedServer = {
  name: string;
  /** false: it was undeployed. */
  isOffered: boolean;
};

/** The servers that a person rents, also those that were undeployed since. */
export async function readRented(
  catalogue: Pick<Catalogue, 'snapshot' | 'versions'>,
  { servers }: Owned,
): Promise<(serverId: string) => RentedServer> {
  const { byId } = catalogue.snapshot();
  const names = new Map<string, string>();
  for (const { kind, serverId } of servers) {
    if (kind !== 'rental' || byId.has(serverId) || names.has(serverId)) continue;
    const versions = await catalogue.versions(serverId);
    const last = versions.toSorted((a, b) => (b.deployedAt?.getTime() ?? 0) - (a.deployedAt?.getTime() ?? 0))[0];
    names.set(serverId, last?.name ?? serverId);
  }
  return (serverId) => {
    const server = byId.get(serverId);
    return { name: server?.manifest.name ?? names.get(serverId) ?? serverId, isOffered: server !== undefined };
  };
}
