import type { ToolChangeKind } from '@souk/contract/tool-changes.ts';
import { definitionHash } from './definition-hash.ts';

/**
 * strict, text-only: the manifest's word (manifest.ts, toolChanges). `own`: a bundled server that this installation
 * starts itself, whose code came with Souk: it changes with an upgrade, and that was the decision.
 */
export type DriftPolicy = 'strict' | 'text-only' | 'own';

export type PinnedTool = { sha256: string; definition: Record<string, unknown> };
export type SeenTool = PinnedTool;

export type Judgement =
  | { change: undefined; held: false }
  | { change: ToolChangeKind; /** Hidden until somebody decides. */ held: boolean };

/** What a tool does, as far as its definition says so; everything else in it is text for reading. */
const decisiveFields = ['inputSchema', 'outputSchema', 'annotations', 'execution'] as const;

/** Compares a tool with what was trusted at deployment (security.md, incidents: postmark-mcp; bad inputs, row 26). */
export function judgeTool(pin: PinnedTool | undefined, seen: SeenTool, policy: DriftPolicy): Judgement {
  if (pin?.sha256 === seen.sha256) return { change: undefined, held: false };
  const change = kindOfChange(pin, seen);
  if (policy === 'own') return { change, held: false };
  return { change, held: policy === 'strict' || change !== 'text' };
}

function kindOfChange(pin: PinnedTool | undefined, seen: SeenTool): ToolChangeKind {
  if (!pin) return 'new';
  const isDecisive = decisiveFields.some(
    (field) =>
      definitionHash({ [field]: pin.definition[field] }) !== definitionHash({ [field]: seen.definition[field] }),
  );
  return isDecisive ? 'definition' : 'text';
}
