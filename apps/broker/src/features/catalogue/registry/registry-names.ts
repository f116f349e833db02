/** How registries name our servers: the host of the shop read backwards (reverse DNS), then the server's id. */
export type RegistryNames = {
  of(serverId: string): string;
  /** Undefined for a name that is not one of ours. */
  idOf(name: string): string | undefined;
};

export function createRegistryNames(publicUrl: string): RegistryNames {
  const { hostname } = new URL(publicUrl);
  // an address is no name, and is not read backwards; of IPv6 the colons are no characters of a name
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  const host = isAddress
    ? hostname.replaceAll(/[[\]]/g, '').replaceAll(':', '-')
    : hostname.split('.').toReversed().join('.');
  const namespace = `${host}/`;
  return {
    of: (serverId) => namespace + serverId,
    idOf: (name) => (name.startsWith(namespace) ? name.slice(namespace.length) : undefined),
  };
}
