/** Names of our servers in registries: the shop's host in reverse order (reverse DNS), then the server's id. */
export type RegistryNames = {
  of(serverId: string): string;
  /** Returns undefined for a name that is not ours. */
  idOf(name: string): string | undefined;
};

export function createRegistryNames(publicUrl: string): RegistryNames {
  const { hostname } = new URL(publicUrl);
  // an IP address is not reversed; the colons of IPv6 are not allowed in a name
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
