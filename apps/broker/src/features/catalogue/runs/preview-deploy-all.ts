import {
  previewedChanges,
  previewedManifests,
  previewedSecrets,
  type previewDeployAll as endpoint,
} from '@souk/contract/admin/manifest-runs.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { sql } from 'kysely';
import { SoukError } from '#platform/errors.ts';
import { readDifferences, type DifferenceParts } from '../manifests/differences/read-differences.ts';
import type { PeopleOfServers } from '../manifests/read-manifest.ts';
import { hiddenTools } from '../snapshot/snapshot.ts';
import type { CatalogueDb } from '../tables.ts';

type Preview = Omit<Answer<typeof endpoint>, 'success'>;
type Staged = { id: string; name: string; version: string; isDeployed: boolean };

/**
 * Returns what deploy-all would do: counts for all staged manifests, and the changes and effects of the first ones,
 * whose documents are read.
 */
export async function previewDeployAll(
  parts: Pick<PeopleOfServers, 'rentersOf'> & DifferenceParts & { db: CatalogueDb },
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
  const live = replaced.flatMap((id) => byId.get(id) ?? []);
  const underReview = new Map(live.map((server) => [server.id, hiddenTools(server).waiting.length]));
  const keptHidden = new Map(live.map((server) => [server.id, hiddenTools(server).kept.length]));
  const rank = ({ id, isDeployed }: Staged) => {
    if ((underReview.get(id) ?? 0) + (keptHidden.get(id) ?? 0) > 0) return 0;
    if ((renters.get(id) ?? 0) > 0) return 1;
    return isDeployed ? 2 : 3;
  };
  const first = rows.toSorted((a, b) => rank(a) - rank(b)).slice(0, previewedManifests);
  const missing = await findMissingSecrets(parts);
  const manifests: Preview['manifests'] = [];
  for (const { id, name, version } of first) {
    const preview = await readDifferences(parts, id, { to: version }).catch(ignoreRemoved);
    if (!preview) continue;
    const { from, to, differences, effects, people, missingSecrets } = preview;
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
      missingSecrets,
    });
  }
  return {
    total: rows.length,
    toolsUnderReview: sumOf(underReview),
    serversUnderReview: serversIn(underReview),
    toolsKeptHidden: sumOf(keptHidden),
    serversKeptHidden: serversIn(keptHidden),
    renters: sumOf(renters),
    rentedServers: serversIn(renters),
    serversMissingSecrets: missing.length,
    missingSecrets: missing.slice(0, previewedSecrets),
    manifests,
  };
}

/** Finds the servers that would lack a secret after their deployment, without reading whole manifests. */
async function findMissingSecrets({
  db,
  missingSecretsOf,
}: DifferenceParts & { db: CatalogueDb }): Promise<Preview['missingSecrets']> {
  if (!missingSecretsOf) return [];
  const { rows } = await sql<{ id: string; name: string; manifest: Pick<Manifest, 'connection' | 'auth'> }>`
    select server_id as id, name,
      jsonb_build_object('connection', body->'connection', 'auth', body->'auth') as manifest
    from manifest_versions where status = 'staging' and origin = 'admin'
      and (body->'connection'->>'type' = 'stdio' or body->'auth'->>'type' = 'headers')
    order by server_id collate "C"`.execute(db);
  return rows.flatMap(({ id, name, manifest }) => {
    const count = missingSecretsOf({ id, manifest });
    return count === 0 ? [] : [{ id, name, count }];
  });
}

const sumOf = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);
const serversIn = (counts: ReadonlyMap<string, number>) => [...counts.values()].filter((count) => count > 0).length;

/** Ignores a version that another administrator removed meanwhile. */
function ignoreRemoved(error: unknown): undefined {
  if (!(error instanceof SoukError) || error.code !== 'not_found') throw error;
}
