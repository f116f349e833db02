import type { ToolChangeKind } from '@souk/contract/tool-changes.ts';
import { writeAudit } from '#platform/audit/audit-log.ts';
import { judgeTool, type DriftPolicy, type Judgement } from './judge-tool.ts';
import type { Reviewed, StoredCapability, Tx } from './tables.ts';
import * as pins from './tool-pin-store.ts';

/** How a tool differs from its pin, when that was not known before. */
export type FoundDrift = { tool: string; change: ToolChangeKind; underReview: boolean };

/**
 * Compares what a server offers now with what was trusted when its version was deployed, and records the differences. The
 * first discovery after a deployment is what the deployment trusts.
 * @returns the items, tools with their verdict: one under review is neither listed nor callable
 */
export async function reviewTools(
  tx: Tx,
  server: { id: string; version: string; policy: DriftPolicy },
  items: readonly StoredCapability[],
  at: Date,
): Promise<{ items: Reviewed[]; found: FoundDrift[] }> {
  const tools = items.filter((item) => item.kind === 'tool');
  const trusted = await pins.findPins(tx, server.id, server.version);
  if (!trusted) {
    await pins.replacePins(tx, server, tools);
    await pins.withdrawPending(tx, server.id, [], at);
    return { items: items.map((item) => ({ ...item, underReview: false, textChangedAt: null })), found: [] };
  }

  const openBefore = await pins.findOpen(tx, server.id);
  const found: FoundDrift[] = [];
  const verdicts = new Map<string, Reviewed>();
  for (const tool of tools) {
    const pin = trusted.get(tool.name);
    const judgement = judgeTool(pin, { sha256: tool.sha256, definition: tool.body }, server.policy);
    const open = openBefore.get(tool.name);
    // already pending or rejected, and offered unchanged: nothing new to decide
    const isKnown = judgement.underReview && open?.afterSha256 === tool.sha256;
    if (judgement.change !== undefined && !isKnown) found.push({ tool: tool.name, ...judgement });
    const textChangedAt = await recordJudgement(tx, server, tool, pin, judgement, isKnown, at);
    verdicts.set(tool.name, { ...tool, underReview: judgement.underReview, textChangedAt });
  }
  const namesUnderReview = [...verdicts.values()].filter(({ underReview }) => underReview).map(({ name }) => name);
  await pins.withdrawPending(tx, server.id, namesUnderReview, at);
  const reviewed = items.map(
    (item) => (item.kind === 'tool' && verdicts.get(item.name)) || { ...item, underReview: false, textChangedAt: null },
  );
  return { items: reviewed, found };
}

/** Answers when the tool's texts last changed without an approval, for the badge. */
async function recordJudgement(
  tx: Tx,
  server: { id: string; version: string; policy: DriftPolicy },
  tool: StoredCapability,
  pin: pins.Pin | undefined,
  { change, underReview }: Judgement,
  isKnown: boolean,
  at: Date,
): Promise<Date | null> {
  const before = pin?.textChangedAt ?? null;
  if (change === undefined || isKnown) return before;
  const subject = `${server.id}/${tool.name}`;
  const found = { serverId: server.id, tool, kind: change, before: pin?.definition, at };
  if (underReview) {
    const id = await pins.openChange(tx, found);
    await writeAudit(
      tx,
      { actorId: undefined, action: 'tool-change.under-review', subject, details: { change, id } },
      at,
    );
    return before;
  }
  const id = await pins.addAccepted(tx, found);
  const textChangedAt = change === 'text' && server.policy !== 'own' ? at : before;
  await pins.upsertPin(tx, server, tool, textChangedAt);
  await writeAudit(tx, { actorId: undefined, action: 'tool-change.accepted', subject, details: { change, id } }, at);
  return textChangedAt;
}
