import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import { SoukError } from '#platform/errors.ts';
import type { ManifestActor } from '../manifests/manifest-versions.ts';
import type { CatalogueDb, Tx } from '../tables.ts';
import { decideToolChange, findPendingChanges, findRejectedChanges } from './decide-tool-change.ts';
import { codeOfChanges, requireShown } from './shown-code.ts';

/** Approves pending changes of all tools, or of the named ones. @throws SoukError not_found, changed_since_shown */
export async function approveTools(
  tx: Tx,
  serverId: string,
  { tools, shown }: { tools: readonly string[]; shown: string },
  { actorId: by, reason }: ManifestActor,
  at: Date,
): Promise<ToolChange[]> {
  const { changes: pending, keptHidden } = await findHiddenChanges(tx, serverId);
  const known = [...pending, ...keptHidden];
  const unknown = tools.filter((name) => !known.some((change) => change.tool === name));
  if (unknown.length > 0) {
    throw new SoukError('not_found', { message: `Not under review at ${serverId}: ${unknown.join(', ')}` });
  }
  const chosen = tools.length === 0 ? pending : known.filter((change) => tools.includes(change.tool));
  if (chosen.length === 0) throw new SoukError('not_found', { message: `No tool of ${serverId} is under review` });
  requireShown(shown, codeOfChanges(known), `What is under review at ${serverId}`, `manifest diff ${serverId}`);
  const decided: ToolChange[] = [];
  for (const { id } of chosen) decided.push(await decideToolChange(tx, id, { verdict: 'approved', by, reason }, at));
  return decided;
}

/** Finds the changes of a server's tools that wait for a decision, and those that an administrator keeps hidden. */
export async function findHiddenChanges(
  db: CatalogueDb,
  serverId: string,
): Promise<{ changes: ToolChange[]; keptHidden: ToolChange[] }> {
  const changes = await findPendingChanges(db, serverId);
  return { changes, keptHidden: await findRejectedChanges(db, serverId) };
}
