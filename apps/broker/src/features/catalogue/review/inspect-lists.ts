import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { toStored, urisOf, type Discovered } from '../discovery/discovered.ts';
import { estimateDefinitionTokens } from '../snapshot/estimate-tokens.ts';
import { judgeTool } from './judge-tool.ts';
import type { LeftOut } from '../discovery/left-out.ts';
import { findTakenUris } from '../discovery/capability-store.ts';
import { slugFor } from '../manifests/slug.ts';
import type { CatalogueServer } from '../snapshot/snapshot.ts';
import type { CatalogueDb, StoredCapability } from '../tables.ts';

/** A server's list as a deployment would store it. */
export type InspectedLists = {
  items: readonly StoredCapability[];
  leftOut: readonly LeftOut[];
  tools: readonly { name: string; exposedName: string; tokens: number }[];
  /** Differences from the deployed version's tools, by name; undefined when nothing is deployed. */
  compared: { added: string[]; removed: string[]; changed: string[] } | undefined;
};

/**
 * Returns what a deployment would store of a server's lists, and how its tools differ from the deployed ones. Stores
 * nothing.
 * @param live the server deployed under this id
 */
export async function inspectLists(
  db: CatalogueDb,
  manifest: Pick<Manifest, 'id' | 'slug'>,
  discovered: Discovered,
  live: CatalogueServer | undefined,
): Promise<InspectedLists> {
  const known = await db.selectFrom('servers').select('slug').where('id', '=', manifest.id).executeTakeFirst();
  const slug = known?.slug ?? slugFor(manifest.slug ?? manifest.id);
  const taken = await findTakenUris(db, manifest.id, urisOf(discovered));
  const { items, leftOut } = await toStored(slug, discovered, taken);
  const tools = items.filter(({ kind }) => kind === 'tool');
  return {
    items,
    leftOut,
    tools: tools.map(({ name, exposedName, body }) => ({
      name,
      exposedName,
      tokens: estimateDefinitionTokens(exposedName, body),
    })),
    compared: live && compare(tools, live),
  };
}

function compare(tools: readonly StoredCapability[], live: CatalogueServer) {
  const before = new Map([...live.tools, ...live.toolsUnderReview].map((tool) => [tool.name, tool]));
  const names = new Set(tools.map(({ name }) => name));
  const changed = tools.filter(({ name, sha256, body }) => {
    const { change } = judgeTool(before.get(name), { sha256, definition: body }, 'strict');
    return change === 'definition' || change === 'argument';
  });
  return {
    added: [...names].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !names.has(name)),
    changed: changed.map(({ name }) => name),
  };
}
