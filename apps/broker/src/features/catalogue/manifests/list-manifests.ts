import type { listManifests as endpoint } from '@souk/contract/admin-manifests.ts';
import type { Answer, ParsedRequest } from '@souk/contract/endpoint.ts';
import { sql, type RawBuilder } from 'kysely';
import { searchWords } from '../search-words.ts';
import { hiddenTools, type CatalogueSnapshot } from '../snapshot.ts';
import type { CatalogueDb } from '../tables.ts';
import { headColumns, toHead, type HeadRow } from './manifest-heads.ts';
import { presentManifest } from './present-manifest.ts';

type Filters = ParsedRequest<typeof endpoint>['query'];
type Listed = Omit<Answer<typeof endpoint>, 'success'>;

/** A page has so many where the caller names no limit. */
const defaultLimit = 50;

/** Each server once: its deployed version, else the staged one, beside what is staged. */
const listed = sql`(
  select distinct on (server_id) ${sql.join(headColumns.map((column) => sql.ref(column)))}
  from manifest_versions where status <> 'superseded' order by server_id, status) shown
  left join (
    select server_id, version as staged_version, origin as staged_origin
    from manifest_versions where status = 'staging') staged using (server_id)`;

/**
 * The manifests that are deployed or staged, by id: a page of those that match, or all of them; with the counts of all.
 * @param parts.rentersOf how many people rent each of these servers
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
  const matches = conditionOf(filters);
  const { total, counts } = await count(db, matches, snapshot);
  const isPaged = filters.page !== undefined || filters.limit !== undefined;
  const { page, limit } = isPaged
    ? { page: filters.page ?? 1, limit: filters.limit ?? defaultLimit }
    : { page: 1, limit: total };
  const { rows } = await sql<HeadRow & { staged_version: string | null; staged_origin: 'bundled' | 'admin' | null }>`
    select * from ${listed} where ${matches}
    order by server_id collate "C" limit ${limit} offset ${(page - 1) * limit}`.execute(db);
  const renters = await parts.rentersOf(rows.map((row) => row.server_id));
  const manifests = rows.map((row) => {
    const shown = toHead(row);
    return presentManifest({
      shown,
      deployedVersion: shown.status === 'deployed' ? shown.version : undefined,
      staged:
        row.staged_version === null || row.staged_origin === null
          ? undefined
          : { version: row.staged_version, origin: row.staged_origin },
      live: snapshot.byId.get(row.server_id),
      renters: renters.get(row.server_id) ?? 0,
    });
  });
  const pages = isPaged ? Math.max(1, Math.ceil(total / limit)) : 1;
  return { manifests, pagination: { page, limit, total, pages }, counts };
}

function conditionOf({ search = '', type, status, staged }: Filters): RawBuilder<unknown> {
  const conditions = [
    sql`true`,
    ...(type === undefined ? [] : [sql`connection->>'type' = ${type}`]),
    ...(status === undefined ? [] : [sql`(status = 'deployed') = ${status === 'active'}`]),
    ...(staged === undefined ? [] : [sql`staged_origin = ${staged}`]),
    ...searchWords(search).map(
      (word) => sql`strpos(lower(concat_ws(' ', server_id, name, author, description)), ${word}) > 0`,
    ),
  ];
  return sql.join(conditions, sql` and `);
}

/** @returns of all manifests, and how many match */
async function count(
  db: CatalogueDb,
  matches: RawBuilder<unknown>,
  { servers }: CatalogueSnapshot,
): Promise<{ total: number; counts: Listed['counts'] }> {
  const { rows } = await sql<Record<'matching' | 'total' | 'active' | 'http' | 'staged' | 'drafts', number>>`
    select (count(*) filter (where ${matches}))::int as matching, count(*)::int as total,
      (count(*) filter (where status = 'deployed'))::int as active,
      (count(*) filter (where connection->>'type' = 'http'))::int as http,
      (count(*) filter (where staged_origin = 'admin'))::int as staged,
      (count(*) filter (where staged_origin = 'bundled'))::int as drafts
    from ${listed}`.execute(db);
  const { matching = 0, total = 0, active = 0, http = 0, staged = 0, drafts = 0 } = rows[0] ?? {};
  const withTools = servers.filter(({ tools }) => tools.length > 0).length;
  const underReview = servers.reduce((sum, server) => sum + hiddenTools(server).waiting.length, 0);
  return { total: matching, counts: { total, active, http, withTools, staged, bundledDrafts: drafts, underReview } };
}
