import type { ToolChangeKind } from '@souk/contract/tool-changes.ts';
import { definitionHash } from './definition-hash.ts';

/**
 * strict, text-only: what the manifest says (manifest.ts, toolChanges). `own`: a bundled server that this installation
 * starts itself. Its code comes with Souk, so an upgrade of Souk accepts its changes.
 */
export type DriftPolicy = 'strict' | 'text-only' | 'own';

export type PinnedTool = { sha256: string; definition: Record<string, unknown> };
export type SeenTool = PinnedTool;

export type Judgement =
  | { change: undefined; underReview: false }
  | { change: ToolChangeKind; /** Hidden until an administrator decides. */ underReview: boolean };

/** The fields that say what a tool does; everything else in a definition is text to read. */
const decisiveFields = ['inputSchema', 'outputSchema', 'annotations', 'execution'] as const;

/** Compares a tool with what was trusted at deployment (security.md, incidents: postmark-mcp; bad inputs, row 26). */
export function judgeTool(pin: PinnedTool | undefined, seen: SeenTool, policy: DriftPolicy): Judgement {
  if (pin?.sha256 === seen.sha256) return { change: undefined, underReview: false };
  const change = kindOfChange(pin, seen);
  if (policy === 'own') return { change, underReview: false };
  return { change, underReview: policy === 'strict' || change !== 'text' };
}

function kindOfChange(pin: PinnedTool | undefined, seen: SeenTool): ToolChangeKind {
  if (!pin) return 'new';
  const isDecisive = decisiveFields.some(
    (field) =>
      definitionHash({ [field]: pin.definition[field] }) !== definitionHash({ [field]: seen.definition[field] }),
  );
  return isDecisive ? 'definition' : 'text';
}
