import type { Catalogue, CatalogueServer, RegistryNames } from '#features/catalogue/index.ts';

/** What a link says of itself to its clients. */
export type ServerIdentity = { name: string; title: string; version: string };

/** The link of one service has the name, title and version of the service, as the registry says them. */
export type IdentityOf = (serverId: string | undefined) => ServerIdentity;

/** The last part of the name of /mcp. No service has an underscore in its id. */
const allServices = 'all_services';

/** @param own of the shop; a link whose service is gone has them too */
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
