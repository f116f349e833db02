import { getRegistryVersion, listRegistryServers, listRegistryVersions } from '@souk/contract/catalogue/registry.ts';
import type { Config } from '#platform/config.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { Catalogue } from '../create-catalogue.ts';
import type { CatalogueTables } from '../tables.ts';
import { presentPublished } from './present-published.ts';
import { readPublished, type PublishedVersion } from './published-versions.ts';
import { createRegistryNames } from './registry-names.ts';

/** Versions listed per server: more than a server gets in years. */
const maxVersions = 1_000;

/**
 * Mounts this shop as a registry of MCP servers, where clients such as VS Code find its services. It lists the servers
 * of the marketplace from the database, because the snapshot in memory has no removed ones.
 */
export function mountRegistryRoutes(
  router: Router,
  { catalogue, ...parts }: { db: Database; catalogue: Pick<Catalogue, 'snapshot'>; config: Pick<Config, 'publicUrl'> },
): void {
  const { publicUrl } = parts.config;
  const db = parts.db.kysely.withTables<CatalogueTables>();
  const names = createRegistryNames(publicUrl);
  const namespace = names.of('');

  const present = (version: PublishedVersion) =>
    presentPublished(version, { names, publicUrl, icon: catalogue.snapshot().byId.get(version.serverId)?.icon?.path });

  function idOf(serverName: string): string {
    const id = names.idOf(serverName);
    if (id === undefined) throw notFound(serverName);
    return id;
  }

  router.route(listRegistryServers, async ({ query }) => {
    const { cursor, limit, search, updated_since: changedSince, version } = query;
    const found = await readPublished(db, {
      version,
      search: search === undefined ? undefined : { text: search, namespace },
      changedSince,
      withEnded: query.include_deleted === true || changedSince !== undefined,
      after: cursor === undefined ? undefined : placeOf(cursor),
      limit: limit + 1,
    });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      servers: page.map(present),
      metadata: { count: page.length, ...(last && { nextCursor: `${last.serverId}:${last.version}` }) },
    };
  });

  router.route(listRegistryVersions, async ({ params: { serverName }, query }) => {
    const serverId = idOf(serverName);
    const withEnded = query.include_deleted ?? false;
    const found = await readPublished(db, { serverId, withEnded, limit: maxVersions });
    if (found.length === 0) throw notFound(serverName);
    return { servers: found.map(present), metadata: { count: found.length } };
  });

  router.route(getRegistryVersion, async ({ params: { serverName, version }, query }) => {
    const serverId = idOf(serverName);
    const withEnded = query.include_deleted ?? false;
    const [found] = await readPublished(db, { serverId, version, withEnded, limit: 1 });
    if (!found) throw notFound(`${serverName} ${version}`);
    return present(found);
  });
}

const notFound = (what: string) => new SoukError('not_found', { message: `This registry has no ${what}` });

/** Splits a cursor into server id and version. Ids contain no colon. */
function placeOf(cursor: string): readonly [string, string] {
  const colon = cursor.indexOf(':');
  return [cursor.slice(0, colon), cursor.slice(colon + 1)];
}
