import {
  previewedChanges,
  previewedManifests,
  type previewDeployAll as endpoint,
} from '@souk/contract/admin-manifest-runs.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import { sql } from 'kysely';
import { SoukError } from '#platform/errors.ts';
import type { Catalogue } from '../create-catalogue.ts';
import { readDifferences } from '../manifests/differences/read-differences.ts';
import type { PeopleOfServers } from '../manifests/read-manifest.ts';
import type { CatalogueDb } from '../tables.ts';

type Preview = Omit<Answer<typeof endpoint>, 'success'>;
type Staged = { id: string; name: string; version: string; isDeployed: boolean };

/**
 * What deploy-all would deploy, and what that does. All of it is counted; of the first manifests it is said in words, for
 * which the documents are read.
 */
export async function previewDeployAll(
  parts: Pick<PeopleOfServers, 'rentersOf' | 'peopleOf'> & { db: CatalogueDb; catalogue: Catalogue },
): Promise<Preview> {
  const { db, catalogue } = parts;
  const { rows } = await sql<Staged>`
    select m.server_id as id, m.name, m.version, exists (
      select from manifest_versions d where d.server_id = m.server_id and d.status = 'deployed') as "isDeployed"
    from manifest_versions m where m.status = 'staging' and m.origin = 'admin'
    order by m.server_id collate "C"`.execute(db);
  const replaced = rows.flatMap(({ id, isDeployed }) => (isDeployed ? [id] : []));
  const renters = await parts.rentersOf(replaced);
  const { byId } = catalogue.snapshot();
  const underReview = new Map(replaced.map((id) => [id, byId.get(id)?.toolsUnderReview.length ?? 0]));
  const rank = ({ id, isDeployed }: Staged) =>
    (underReview.get(id) ?? 0) > 0 ? 0 : (renters.get(id) ?? 0) > 0 ? 1 : isDeployed ? 2 : 3;
  const first = rows.toSorted((a, b) => rank(a) - rank(b)).slice(0, previewedManifests);
  const manifests: Preview['manifests'] = [];
  for (const { id, name, version } of first) {
    const told = await readDifferences(parts, id, { to: version }).catch(unlessTakenOut);
    if (!told) continue;
    const { from, to, differences, effects, people } = told;
    const changes = from === null ? [] : differences.map(({ text }) => text);
    manifests.push({
      id,
      name,
      from,
      to,
      changedFields: changes.length,
      changes: changes.slice(0, previewedChanges),
      effects,
      people,
    });
  }
  return {
    total: rows.length,
    ...totalsOf(underReview, (toolsUnderReview, serversUnderReview) => ({ toolsUnderReview, serversUnderReview })),
    ...totalsOf(renters, (count, rentedServers) => ({ renters: count, rentedServers })),
    manifests,
  };
}

function totalsOf<Named>(counts: ReadonlyMap<string, number>, name: (sum: number, servers: number) => Named): Named {
  const some = [...counts.values()].filter((count) => count > 0);
  return name(
    some.reduce((sum, count) => sum + count, 0),
    some.length,
  );
}

/** Another administrator may take a version out between the two looks. */
function unlessTakenOut(error: unknown): undefined {
  if (!(error instanceof SoukError) || error.code !== 'not_found') throw error;
}
