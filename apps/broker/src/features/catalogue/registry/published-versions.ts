import { sql } from 'kysely';
import type { CatalogueDb } from '../tables.ts';

/** A version that is or was live, with the fields of its manifest that a registry shows. */
export type PublishedVersion = {
  serverId: string;
  version: string;
  name: string;
  description: string;
  isDeployed: boolean;
  /** The deployed version; for a server without one, the version that was live last. */
  isLatest: boolean;
  publishedAt: Date;
  /** Time when it was removed or replaced. */
  endedAt: Date | null;
};

export type PublishedFilter = {
  serverId?: string | undefined;
  /** `latest`, or exactly this version. */
  version?: string | undefined;
  /** Text contained in the title or in the registry name (namespace and id). */
  search?: { text: string; namespace: string } | undefined;
  changedSince?: Date | undefined;
  withEnded: boolean;
  /** The server and version before the page, in the order of ids and versions. */
  after?: readonly [serverId: string, version: string] | undefined;
  limit: number;
};

/** Reads a page of published versions, without manifest bodies: the fields are columns. */
export async function readPublished(db: CatalogueDb, filter: PublishedFilter): Promise<PublishedVersion[]> {
  const { serverId, version, search, changedSince, withEnded, after, limit } = filter;
  const changedAt = sql<Date>`coalesce(p.ended_at, p.deployed_at)`;
  let query = db
    .with('p', (with_) =>
      with_
        .selectFrom('manifest_versions as m')
        .select(['m.server_id', 'm.version', 'm.name', 'm.description', 'm.status', 'm.deployed_at', 'm.ended_at'])
        .select(
          sql<boolean>`row_number() over (partition by m.server_id
            order by (m.status = 'deployed') desc, m.ended_at desc, m.deployed_at desc, m.version) = 1`.as('is_latest'),
        )
        .where('m.deployed_at', 'is not', null)
        // each condition here reduces the rows to sort: a page of deployed versions reads only the index of these
        .$if(!withEnded, (of) => of.where('m.status', '=', 'deployed'))
        .$if(after !== undefined, (of) => of.where(sql<boolean>`m.server_id collate "C" >= ${after?.[0]}::text`))
        .$if(serverId !== undefined, (of) => of.where('m.server_id', '=', serverId ?? '')),
    )
    .selectFrom('p')
    .select(['p.server_id as serverId', 'p.version', 'p.name', 'p.description', 'p.is_latest as isLatest'])
    .select([
      sql<boolean>`p.status = 'deployed'`.as('isDeployed'),
      sql<Date>`p.deployed_at`.as('publishedAt'),
      sql<Date | null>`case p.status when 'deployed' then null else p.ended_at end`.as('endedAt'),
    ])
    .limit(limit);
  if (version === 'latest') query = query.where('p.is_latest', '=', true);
  else if (version !== undefined) query = query.where('p.version', '=', version);
  if (changedSince) query = query.where(changedAt, '>=', changedSince);
  if (search) {
    const { text, namespace } = search;
    query = query.where(
      sql<boolean>`position(lower(${text}::text) in lower(${namespace}::text || p.server_id)) > 0
        or position(lower(${text}::text) in lower(p.name)) > 0`,
    );
  }
  if (after)
    query = query.where(
      sql<boolean>`(p.server_id collate "C", p.version collate "C") > (${after[0]}::text, ${after[1]}::text)`,
    );
  const ordered =
    serverId === undefined
      ? query.orderBy(sql`p.server_id collate "C"`).orderBy(sql`p.version collate "C"`)
      : query.orderBy('p.deployed_at', 'desc').orderBy(sql`p.version collate "C"`, 'desc');
  return ordered.execute();
}
