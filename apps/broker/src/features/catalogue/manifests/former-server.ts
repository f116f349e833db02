import type { Query } from '#platform/db/database.ts';
import { slugOfName } from '../snapshot/exposed-name.ts';

type FormerServer = { id: string; name: string };

/** Finds an undeployed server by its id or by the name of one of its items on /mcp, with its last live name. */
export async function findFormerServer(
  query: Query,
  wanted: { id: string } | { exposedName: string },
): Promise<FormerServer | undefined> {
  const id = 'id' in wanted ? wanted.id : null;
  const slug = 'id' in wanted ? null : slugOfName(wanted.exposedName);
  if (id === null && slug === undefined) return undefined;
  const { rows } = await query<FormerServer>(
    `select s.id, m.body->>'name' as name from servers s
     join lateral (
       select body from manifest_versions
       where server_id = s.id and deployed_at is not null order by deployed_at desc limit 1
     ) m on true
     where (s.id = $1 or s.slug = $2)
       and not exists (select from manifest_versions d where d.server_id = s.id and d.status = 'deployed')`,
    [id, slug ?? null],
  );
  return rows[0];
}
