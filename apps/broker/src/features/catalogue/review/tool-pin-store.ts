import type { ToolChangeKind } from '@souk/contract/catalogue/tool-changes.ts';
import type { StoredCapability, Tx } from '../tables.ts';

/** Accepted and withdrawn changes kept per server, because a server can cause one every few seconds. */
const maxUndecidedKept = 600;

export type Pin = { sha256: string; definition: Record<string, unknown>; textChangedAt: Date | null };
export type FoundChange = {
  serverId: string;
  tool: StoredCapability;
  kind: ToolChangeKind;
  before: Record<string, unknown> | undefined;
  at: Date;
};

/**
 * Finds the definitions trusted with this version, by tool; undefined if there was no discovery since the deployment.
 */
export async function findPins(tx: Tx, serverId: string, version: string): Promise<Map<string, Pin> | undefined> {
  const server = await tx
    .selectFrom('servers')
    .select('pinned_version')
    .where('id', '=', serverId)
    .executeTakeFirstOrThrow();
  if (server.pinned_version !== version) return undefined;
  const rows = await tx
    .selectFrom('tool_pins')
    .select(['name', 'sha256', 'definition', 'text_changed_at as textChangedAt'])
    .where('server_id', '=', serverId)
    .where('manifest_version', '=', version)
    .execute();
  return new Map(rows.map(({ name, ...pin }) => [name, pin]));
}

/** Trusts these tools with this version, even if there are none: a tool that appears later is new. */
export async function replacePins(
  tx: Tx,
  server: { id: string; version: string },
  tools: readonly StoredCapability[],
): Promise<void> {
  await tx.deleteFrom('tool_pins').where('server_id', '=', server.id).execute();
  await tx.updateTable('servers').set({ pinned_version: server.version }).where('id', '=', server.id).execute();
  if (tools.length === 0) return;
  await tx
    .insertInto('tool_pins')
    .values(tools.map((tool) => pinRow(server, tool, null)))
    .execute();
}

export async function upsertPin(
  tx: Tx,
  server: { id: string; version: string },
  tool: Pick<StoredCapability, 'name' | 'sha256' | 'body'>,
  textChangedAt: Date | null,
): Promise<void> {
  const row = pinRow(server, tool, textChangedAt);
  await tx
    .insertInto('tool_pins')
    .values(row)
    .onConflict((conflict) => conflict.columns(['server_id', 'name']).doUpdateSet(row))
    .execute();
}

function pinRow(
  server: { id: string; version: string },
  tool: Pick<StoredCapability, 'name' | 'sha256' | 'body'>,
  textChangedAt: Date | null,
) {
  return {
    server_id: server.id,
    name: tool.name,
    manifest_version: server.version,
    sha256: tool.sha256,
    definition: JSON.stringify(tool.body),
    text_changed_at: textChangedAt,
  };
}

/** Finds the hash of each tool's newest definition that is pending or rejected. */
export async function findOpenHashes(tx: Tx, serverId: string): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('tool_changes')
    .distinctOn('tool')
    .select(['tool', 'after_sha256'])
    .where('server_id', '=', serverId)
    .where('status', 'in', ['pending', 'rejected'])
    .orderBy('tool')
    .orderBy('id', 'desc')
    .execute();
  return new Map(rows.map((row) => [row.tool, row.after_sha256]));
}

/** Stores a pending change in place of the tool's earlier one. Returns its id. */
export async function openChange(tx: Tx, found: FoundChange): Promise<number> {
  await tx
    .updateTable('tool_changes')
    .set({ status: 'withdrawn', decided_at: found.at })
    .where('server_id', '=', found.serverId)
    .where('tool', '=', found.tool.name)
    .where('status', '=', 'pending')
    .execute();
  return insertChange(tx, found, 'pending');
}

export const addAccepted = (tx: Tx, found: FoundChange): Promise<number> => insertChange(tx, found, 'accepted');

async function insertChange(tx: Tx, found: FoundChange, status: 'pending' | 'accepted'): Promise<number> {
  const { id } = await tx
    .insertInto('tool_changes')
    .values({
      server_id: found.serverId,
      tool: found.tool.name,
      kind: found.kind,
      status,
      before: found.before ? JSON.stringify(found.before) : null,
      after: JSON.stringify(found.tool.body),
      after_sha256: found.tool.sha256,
      found_at: found.at,
      decided_at: status === 'accepted' ? found.at : null,
      decided_by: null,
      reason: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Withdraws the pending changes of all tools except these: the tools have their trusted definitions again, or are no
 * longer offered.
 */
export async function withdrawPending(tx: Tx, serverId: string, except: readonly string[], at: Date): Promise<void> {
  await tx
    .updateTable('tool_changes')
    .set({ status: 'withdrawn', decided_at: at })
    .where('server_id', '=', serverId)
    .where('status', '=', 'pending')
    .$if(except.length > 0, (query) => query.where('tool', 'not in', [...except]))
    .execute();
}

/** Deletes a server's oldest accepted and withdrawn changes. Administrators' decisions are kept. */
export async function dropOldUndecided(tx: Tx, serverId: string): Promise<void> {
  const undecided = ['accepted', 'withdrawn'] as const;
  const newestToDrop = tx
    .selectFrom('tool_changes')
    .select('id')
    .where('server_id', '=', serverId)
    .where('status', 'in', undecided)
    .orderBy('id', 'desc')
    .offset(maxUndecidedKept)
    .limit(1);
  await tx
    .deleteFrom('tool_changes')
    .where('server_id', '=', serverId)
    .where('status', 'in', undecided)
    .where('id', '<=', newestToDrop)
    .execute();
}
