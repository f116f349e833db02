import type { listManifests as endpoint, ManifestOrder, ManifestSort } from '@souk/contract/admin/manifests.ts';
import type { Answer, ParsedRequest } from '@souk/contract/endpoint.ts';
import { sql, type RawBuilder } from 'kysely';
import { arrayLiteral } from '#platform/db/array-literal.ts';
import { searchWords } from '../search/search-words.ts';
import { hiddenTools, isDown, type CatalogueServer, type CatalogueSnapshot } from '../snapshot/snapshot.ts';
import type { CatalogueDb } from '../tables.ts';
import { findRemovals } from './find-removals.ts';
import { headColumns, type ManifestHead } from './manifest-heads.ts';
import { presentManifest } from './present-manifest.ts';

type Filters = ParsedRequest<typeof endpoint>['query'];
type Listed = Omit<Answer<typeof endpoint>, 'success'>;

const defaultLimit = 50;

const columns = headColumns.map((column) => column.split(' as '));
const head = sql.join(columns.map(([name = '']) => sql.ref(name)));
const named = sql.join(columns.map(([name = '', alias = name]) => sql`${sql.ref(name)} as ${sql.ref(alias)}`));

/** Each server once, with its deployed version, else its staged version, and what is staged. */
const listed = sql`(
  select distinct on (server_id) ${head}
  from manifest_versions where status <> 'superseded' order by server_id, status) shown
  left join (
    select server_id, version as staged_version, origin as staged_origin
    from manifest_versions where status = 'staging') staged using (server_id)`;

/** Each server that is neither deployed nor staged, with the version that was live last. */
const deleted = sql`(
  select distinct on (server_id) ${head}, null::text as staged_version, null::text as staged_origin
  from manifest_versions gone
  where not exists (
    select from manifest_versions kept where kept.server_id = gone.server_id and kept.status <> 'superseded')
  order by server_id, deployed_at desc nulls last, created_at desc) shown`;

/**
 * Lists the deployed and staged manifests, or the deleted ones: all that match the filters or a page of them, and
 * counts regardless of the filters.
 */
export async function listManifests(
  parts: {
    db: CatalogueDb;
    snapshot: CatalogueSnapshot;
    rentersOf(serverIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  },
  filters: Filters,
): Promise<Listed> {
  const { db, snapshot } = parts;
  const source = filters.status === 'deleted' ? deleted : listed;
  const failing = snapshot.servers.filter(isDown).map(({ id }) => id);
  const matches = conditionOf(filters, failing);
  const [total, counts] = await Promise.all([countMatching(db, source, matches), countAll(db, snapshot)]);
  const order = orderOf(filters.sort, snapshot);
  const isPaged = filters.page !== undefined || filters.limit !== undefined;
  const { page, limit } = isPaged
    ? { page: filters.page ?? 1, limit: filters.limit ?? defaultLimit }
    : { page: 1, limit: total };
  const { rows } = await sql<ManifestHead & { stagedVersion: string | null; stagedOrigin: 'bundled' | 'admin' | null }>`
    select ${named}, staged_version as "stagedVersion", staged_origin as "stagedOrigin" from ${source} ${order.join} where ${matches}
    order by ${order.by} limit ${limit} offset ${(page - 1) * limit}`.execute(db);
  const ids = rows.map(({ serverId }) => serverId);
  const renters = await parts.rentersOf(ids);
  const listsDeleted = filters.status === 'deleted';
  const gone = listsDeleted ? await findRemovals(db, ids) : undefined;
  const searchesDeletedToo = (filters.search ?? '') !== '' && !listsDeleted;
  const deletedMatching = searchesDeletedToo
    ? await countMatching(db, deleted, conditionOf({ search: filters.search, type: filters.type }, failing))
    : 0;
  const manifests = rows.map(({ stagedVersion: version, stagedOrigin: origin, ...shown }) =>
    presentManifest({
      shown,
      staged: version === null || origin === null ? undefined : { version, origin },
      live: snapshot.byId.get(shown.serverId),
      renters: renters.get(shown.serverId) ?? 0,
      gone: gone?.get(shown.serverId),
    }),
  );
  const pages = isPaged ? Math.max(1, Math.ceil(total / limit)) : 1;
  return {
    manifests,
    pagination: { page, limit, total, pages },
    counts: { ...counts, failing: failing.length, ...(deletedMatching > 0 && { deletedMatching }) },
  };
}

/** @param failing ids of the servers that are down */
function conditionOf(
  { search = '', type, status, staged, health }: Filters,
  failing: readonly string[],
): RawBuilder<unknown> {
  const conditions = [
    sql`true`,
    ...(type === undefined ? [] : [sql`connection->>'type' = ${type}`]),
    ...(status === undefined || status === 'deleted' ? [] : [sql`(status = 'deployed') = ${status === 'active'}`]),
    ...(staged === undefined ? [] : [sql`staged_origin = ${staged}`]),
    ...(health === undefined ? [] : [sql`server_id = any(${arrayLiteral(failing)}::text[])`]),
    ...searchWords(search).map((word) => sql`strpos(lower(concat_ws(' ', ${searched})), ${word}) > 0`),
  ];
  return sql.join(conditions, sql` and `);
}

function orderOf(
  sort: ManifestSort | undefined,
  snapshot: CatalogueSnapshot,
): Record<'join' | 'by', RawBuilder<unknown>> {
  const byId = sql`server_id collate "C"`;
  if (sort === undefined) return { join: sql``, by: byId };
  const isDescending = sort.startsWith('-');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a sort is an order with an optional minus sign
  const { join, key } = keyOf(sort.replace('-', '') as ManifestOrder, snapshot);
  return { join, by: sql`${key} ${sql.raw(isDescending ? 'desc' : 'asc')} nulls last, ${byId}` };
}

function keyOf(order: ManifestOrder, { servers }: CatalogueSnapshot): Record<'join' | 'key', RawBuilder<unknown>> {
  const ofRow = (key: RawBuilder<unknown>) => ({ join: sql``, key });
  const ofServer = (figure: (server: CatalogueServer) => number) => ({
    join: sql`left join unnest(${arrayLiteral(servers.map(({ id }) => id))}::text[],
      ${arrayLiteral(servers.map(figure))}::int[]) live(live_id, figure) on live_id = server_id`,
    key: sql`figure`,
  });
  switch (order) {
    case 'name':
      return ofRow(sql`lower(name)`);
    case 'address':
      return ofRow(sql`lower(coalesce(connection->>'url', connection->>'command'))`);
    case 'deployed':
      return ofRow(sql`(status <> 'deployed')`);
    case 'tools':
      return ofServer(({ tools }) => tools.length);
    case 'connection':
      return ofServer((server) => (isDown(server) ? 0 : server.status === 'connected' ? 2 : 1));
  }
}

const searched = sql`server_id, name, author, description, connection->>'url', connection->>'command'`;

async function countMatching(
  db: CatalogueDb,
  source: RawBuilder<unknown>,
  matches: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ matching: number }>`
    select count(*)::int as matching from ${source} where ${matches}`.execute(db);
  return rows[0]?.matching ?? 0;
}

/** Counts all manifests, regardless of the filters. */
async function countAll(db: CatalogueDb, { servers }: CatalogueSnapshot): Promise<Omit<Listed['counts'], 'failing'>> {
  const { rows } = await sql<Record<'total' | 'active' | 'http' | 'staged' | 'drafts' | 'known', number>>`
    select count(*)::int as total,
      (count(*) filter (where status = 'deployed'))::int as active,
      (count(*) filter (where connection->>'type' = 'http'))::int as http,
      (count(*) filter (where staged_origin = 'admin'))::int as staged,
      (count(*) filter (where staged_origin = 'bundled'))::int as drafts,
      (select count(distinct server_id) from manifest_versions)::int as known
    from ${listed}`.execute(db);
  const { total = 0, active = 0, http = 0, staged = 0, drafts = 0, known = 0 } = rows[0] ?? {};
  const withTools = servers.filter(({ tools }) => tools.length > 0).length;
  const underReview = servers.reduce((sum, server) => sum + hiddenTools(server).waiting.length, 0);
  return { total, active, http, withTools, staged, bundledDrafts: drafts, underReview, deleted: known - total };
}
