import type { ToolChange, ToolChangeStatus } from '@souk/contract/catalogue/tool-changes.ts';
import type { Selectable } from 'kysely';
import { writeAudit } from '#platform/audit/audit-log.ts';
import { SoukError } from '#platform/errors.ts';
import type { CatalogueDb, CatalogueTables, Tx } from '../tables.ts';
import { upsertPin } from './tool-pin-store.ts';

/** Limit of a discovery (adapters/mcp/connect/list-pages.ts). */
const maxToolsOfServer = 512;

/** Lists changes of tools, newest first. */
export async function listToolChanges(
  db: CatalogueDb,
  filter: { status?: ToolChangeStatus | undefined; serverId?: string | undefined },
  maxChanges = 500,
): Promise<ToolChange[]> {
  const { status, serverId } = filter;
  const rows = await db
    .selectFrom('tool_changes')
    .selectAll()
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'pending'))
    .$if(serverId !== undefined, (query) => query.where('server_id', '=', serverId ?? ''))
    .orderBy('id', 'desc')
    .limit(maxChanges)
    .execute();
  return rows.map(present);
}

/** Finds the changes of a server's tools that wait for a decision, by tool: at most one per tool. */
export async function findPendingChanges(db: CatalogueDb, serverId: string): Promise<ToolChange[]> {
  const pending = await listToolChanges(db, { status: 'pending', serverId }, maxToolsOfServer);
  return pending.toSorted((a, b) => (a.tool < b.tool ? -1 : 1));
}

/**
 * Finds the decisions that keep tools of a server hidden, by tool: the newest rejection per tool, if no newer change is
 * pending and the server still offers the rejected definition.
 */
export async function findRejectedChanges(db: CatalogueDb, serverId: string): Promise<ToolChange[]> {
  const newest = db
    .selectFrom('tool_changes')
    .selectAll()
    .distinctOn('tool')
    .where('server_id', '=', serverId)
    .where('status', 'in', ['pending', 'rejected'])
    .orderBy('tool')
    .orderBy('id', 'desc');
  const rows = await db
    .selectFrom(newest.as('newest'))
    .innerJoin('capabilities as c', (join) =>
      join
        .onRef('c.server_id', '=', 'newest.server_id')
        .onRef('c.name', '=', 'newest.tool')
        .onRef('c.sha256', '=', 'newest.after_sha256')
        .on('c.kind', '=', 'tool')
        .on('c.under_review', '=', true),
    )
    .selectAll('newest')
    .where('newest.status', '=', 'rejected')
    .orderBy('newest.tool')
    .execute();
  return rows.map(present);
}

/** `by`: the administrator's user id; undefined for the operator's command. */
export type Decision = { verdict: 'approved' | 'rejected'; by: string | undefined; reason: string | undefined };

/**
 * Stores an administrator's decision about a change, with its audit row. Approved: the server's current definition is
 * trusted and shown. Rejected: the tool stays hidden until it has its trusted definition again, or until the newest
 * rejection is approved while the server still offers that definition.
 * @throws SoukError not_found, or change_decided when it is neither pending nor such a rejection
 */
export async function decideToolChange(tx: Tx, id: number, decision: Decision, at: Date): Promise<ToolChange> {
  const change = await tx.selectFrom('tool_changes').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (!change) throw new SoukError('not_found');
  const isOverturned = change.status === 'rejected' && decision.verdict === 'approved';
  if (isOverturned) await requireStillHidden(tx, change);
  else if (change.status !== 'pending') throw new SoukError('change_decided');
  const decided = await tx
    .updateTable('tool_changes')
    .set({ status: decision.verdict, decided_at: at, decided_by: decision.by ?? null, reason: decision.reason ?? null })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (decision.verdict === 'approved') await trust(tx, change);
  await writeAudit(
    tx,
    {
      actorId: decision.by,
      action: `tool-change.${decision.verdict}`,
      subject: `${change.server_id}/${change.tool}`,
      reason: decision.reason,
      details: { change: change.kind, id, ...(isOverturned && { hiddenSince: change.decided_at?.toISOString() }) },
    },
    at,
  );
  return present(decided);
}

/** @throws SoukError change_decided when this decision no longer keeps the tool hidden */
async function requireStillHidden(tx: Tx, { id, server_id, tool }: Selectable<CatalogueTables['tool_changes']>) {
  const hidden = await findRejectedChanges(tx, server_id);
  if (hidden.some((one) => one.id === id)) return;
  const message = `The definition of ${tool} that this decision hid is no longer offered. Reload the changes that wait for a decision.`;
  throw new SoukError('change_decided', { message });
}

async function trust(tx: Tx, change: Selectable<CatalogueTables['tool_changes']>) {
  const deployed = await tx
    .selectFrom('manifest_versions')
    .select('version')
    .where('server_id', '=', change.server_id)
    .where('status', '=', 'deployed')
    .executeTakeFirstOrThrow();
  const tool = { name: change.tool, sha256: change.after_sha256, body: change.after };
  await upsertPin(tx, { id: change.server_id, version: deployed.version }, tool, null);
  await tx
    .updateTable('capabilities')
    .set({ under_review: false, text_changed_at: null })
    .where('server_id', '=', change.server_id)
    .where('kind', '=', 'tool')
    .where('name', '=', change.tool)
    .where('sha256', '=', change.after_sha256)
    .execute();
}

function present(row: Selectable<CatalogueTables['tool_changes']>): ToolChange {
  return {
    id: row.id,
    serverId: row.server_id,
    tool: row.tool,
    kind: row.kind,
    status: row.status,
    before: row.before,
    after: row.after,
    foundAt: row.found_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
    decidedBy: row.decided_by,
    reason: row.reason,
  };
}
