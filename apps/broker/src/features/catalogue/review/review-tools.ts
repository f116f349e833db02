import type { ToolChangeKind } from '@souk/contract/catalogue/tool-changes.ts';
import { writeCausedAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import { judgeTool, type DriftPolicy } from './judge-tool.ts';
import type { Reviewed, StoredCapability, Tx } from '../tables.ts';
import * as pins from './tool-pin-store.ts';

/**
 * Audit rows per server and day: more than the 512 tools that a server may have, so that a release that changes all of
 * them is recorded completely.
 */
const maxAuditRowsADay = 600;

/** A new difference between a tool and its pin. */
export type FoundDrift = { tool: string; change: ToolChangeKind; underReview: boolean };

/**
 * Compares a server's current list with what was trusted when its version was deployed, and records the differences. A
 * deployment trusts the first discovery after it.
 * @returns the items with their verdicts: a tool under review is neither listed nor callable. `notAudited`: number of
 *   differences without an audit row, because the server reached its limit of this day
 */
export async function reviewTools(
  tx: Tx,
  server: { id: string; version: string; policy: DriftPolicy },
  items: readonly StoredCapability[],
  at: Date,
): Promise<{ items: Reviewed[]; found: FoundDrift[]; notAudited: number }> {
  const tools = items.filter((item) => item.kind === 'tool');
  const trusted = await pins.findPins(tx, server.id, server.version);
  if (!trusted) {
    await pins.replacePins(tx, server, tools);
    await pins.withdrawPending(tx, server.id, [], at);
    return {
      items: items.map((item) => ({ ...item, underReview: false, textChangedAt: null })),
      found: [],
      notAudited: 0,
    };
  }

  const openBefore = await pins.findOpenHashes(tx, server.id);
  const found: FoundDrift[] = [];
  const audited: AuditEntry[] = [];
  const verdicts = new Map<string, Reviewed>();
  for (const tool of tools) {
    const pin = trusted.get(tool.name);
    const judgement = judgeTool(pin, { sha256: tool.sha256, definition: tool.body }, server.policy);
    // already pending or rejected, and offered unchanged: no new decision
    const isKnown = judgement.underReview && openBefore.get(tool.name) === tool.sha256;
    const { change, underReview } = judgement;
    let textChangedAt = pin?.textChangedAt ?? null;
    if (change !== undefined && !isKnown) {
      found.push({ tool: tool.name, change, underReview });
      const recorded = await recordChange(tx, server, tool, pin, { change, underReview }, at);
      audited.push(recorded.entry);
      textChangedAt = recorded.textChangedAt;
    }
    verdicts.set(tool.name, { ...tool, underReview, textChangedAt });
  }
  const namesUnderReview = [...verdicts.values()].filter(({ underReview }) => underReview).map(({ name }) => name);
  await pins.withdrawPending(tx, server.id, namesUnderReview, at);
  const reviewed = items.map(
    (item) => (item.kind === 'tool' && verdicts.get(item.name)) || { ...item, underReview: false, textChangedAt: null },
  );
  const source = { source: server.id, subject: server.id, maxRowsADay: maxAuditRowsADay };
  const leftOut = await writeCausedAudit(tx, source, audited, at);
  if (found.length > 0) await pins.dropOldUndecided(tx, server.id);
  return { items: reviewed, found, notAudited: leftOut?.entries ?? 0 };
}

/** @returns the audit row of the change, and when the tool's texts last changed without an approval, for the badge */
async function recordChange(
  tx: Tx,
  server: { id: string; version: string; policy: DriftPolicy },
  tool: StoredCapability,
  pin: pins.Pin | undefined,
  { change, underReview }: { change: ToolChangeKind; underReview: boolean },
  at: Date,
): Promise<{ entry: AuditEntry; textChangedAt: Date | null }> {
  const before = pin?.textChangedAt ?? null;
  const entry = { actorId: undefined, subject: `${server.id}/${tool.name}` };
  const found = { serverId: server.id, tool, kind: change, before: pin?.definition, at };
  if (underReview) {
    const id = await pins.openChange(tx, found);
    return {
      entry: { ...entry, action: 'tool-change.under-review', details: { change, id } },
      textChangedAt: before,
    };
  }
  const id = await pins.addAccepted(tx, found);
  const textChangedAt = change === 'text' && server.policy !== 'own' ? at : before;
  await pins.upsertPin(tx, server, tool, textChangedAt);
  return { entry: { ...entry, action: 'tool-change.accepted', details: { change, id } }, textChangedAt };
}
