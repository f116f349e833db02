import type { AdminTool } from '@souk/contract/admin/servers.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import { estimateToolTokens, needsTask, type CatalogueItem, type CatalogueServer } from '#features/catalogue/index.ts';
import { asRecord } from '#platform/json.ts';

type ToolFacts = {
  staged: Manifest | undefined;
  use: ReadonlyMap<string, { calls: number; errors: number }>;
  pending: readonly ToolChange[];
  /** Decisions that tools stay hidden. */
  rejected: readonly { change: ToolChange; by: string | null }[];
};

/** Presents the tools of a deployed server in its own order, those under review last. */
export function presentTools(server: CatalogueServer, facts: ToolFacts): AdminTool[] {
  const pendingOf = new Map(facts.pending.map((change) => [change.tool, change]));
  const rejectedOf = new Map(facts.rejected.map((one) => [one.change.tool, one]));
  const stagedCosts = facts.staged && costsOf(facts.staged);
  const present = (item: CatalogueItem): AdminTool => {
    const { name, definition } = item;
    const annotations = asRecord(definition['annotations']);
    const use = facts.use.get(name) ?? { calls: 0, errors: 0 };
    return {
      name,
      exposedName: item.exposedName,
      title: text(definition['title']) ?? text(annotations?.['title']) ?? null,
      description: text(definition['description']) ?? '',
      credits: item.creditCost,
      stagedCredits: stagedCosts ? (stagedCosts.get(name) ?? 0) : null,
      ...statedEffects(annotations),
      ...use,
      tokens: estimateToolTokens(item),
      asks: item.asks ?? null,
      needsTask: needsTask(item),
      underReview: item.underReview,
      pendingChange: pendingOf.get(name) ?? null,
      keptHidden: item.keptHidden ? decisionOf(rejectedOf.get(name)) : null,
    };
  };
  return [...server.tools, ...server.toolsUnderReview].map(present);
}

/** The effects as the server states them, for administrators. Clients consider a tool without hints destructive. */
function statedEffects(annotations: Record<string, unknown> | undefined): Pick<AdminTool, 'readOnly' | 'destructive'> {
  const readOnly = annotations?.['readOnlyHint'] === true;
  const destructive = annotations?.['destructiveHint'];
  return { readOnly, destructive: readOnly ? false : typeof destructive === 'boolean' ? destructive : null };
}

function decisionOf(rejected: ToolFacts['rejected'][number] | undefined): AdminTool['keptHidden'] {
  if (!rejected) return null;
  const { change, by } = rejected;
  return { at: change.decidedAt ?? change.foundAt, by, reason: change.reason, change };
}

/** The prices in the deployed version for tools that the server does not list. */
export function pricedButMissing(server: CatalogueServer): { name: string; credits: number }[] {
  const names = new Set([...server.tools, ...server.toolsUnderReview].map(({ name }) => name));
  return [...costsOf(server.manifest)]
    .filter(([name]) => !names.has(name))
    .map(([name, credits]) => ({ name, credits }));
}

/** A map, because a tool may be called `constructor`. */
function costsOf({ billing }: Manifest): Map<string, number> {
  return new Map(Object.entries(billing?.toolCosts ?? {}));
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
