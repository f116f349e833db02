import type { Catalogue, CatalogueServer, RegistryNames } from '#features/catalogue/index.ts';

export type ServerIdentity = { name: string; title: string; version: string };

/** A service's own link has the service's name, title and version, as in the registry. */
export type IdentityOf = (serverId: string | undefined) => ServerIdentity;

/** The last part of the name of /mcp. No service id has an underscore. */
const allServices = 'all_services';

/** @param own the shop's title and version, also for the link of a service that is no longer deployed */
export function createIdentities(
  own: Pick<ServerIdentity, 'title' | 'version'>,
  { names, catalogue }: { names: RegistryNames; catalogue: Pick<Catalogue, 'snapshot'> },
): IdentityOf {
  const ofAll = { name: names.of(allServices), ...own };
  const known = new WeakMap<CatalogueServer, ServerIdentity>();
  return (serverId) => {
    const server = serverId === undefined ? undefined : catalogue.snapshot().byId.get(serverId);
    if (!server) return ofAll;
    let identity = known.get(server);
    if (!identity) {
      const { name: title, version } = server.manifest;
      identity = { name: names.of(server.id), title, version };
      known.set(server, identity);
    }
    return identity;
  };
}
