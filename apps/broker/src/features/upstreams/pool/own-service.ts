import type { CatalogueServer } from '#features/catalogue/index.ts';

const prefix = 'service:';

/** Returns the demo service and path that a manifest names as `service:name/path`; undefined for other servers. */
export function ownService({
  manifest: { connection },
}: Pick<CatalogueServer, 'manifest'>): { name: string; path: string } | undefined {
  if (connection.type === 'stdio' || !connection.url.startsWith(prefix)) return undefined;
  const [name = '', ...rest] = connection.url.slice(prefix.length).split('/');
  return { name, path: rest.length > 0 ? `/${rest.join('/')}` : '/mcp' };
}
