import type { ToolChangeKind } from '@souk/contract/catalogue/tool-changes.ts';
import { asRecord, isRecord } from '#platform/json.ts';
import { addsOptionalArgument } from './adds-optional-argument.ts';
import { cleanDefinition } from './clean-definition.ts';
import { definitionHash } from './definition-hash.ts';

/**
 * strict, text-only: from the manifest (manifest.ts, toolChanges). `own`: a bundled server that this installation
 * starts itself. Its code comes with Souk, so an upgrade of Souk accepts its changes.
 */
export type DriftPolicy = 'strict' | 'text-only' | 'own';

export type PinnedTool = { sha256: string; definition: Record<string, unknown> };

export type Judgement =
  | { change: undefined; underReview: false }
  | { change: ToolChangeKind; /** Hidden until an administrator decides. */ underReview: boolean };

/**
 * Fields that decide what a tool does, or that can make it look like another one (icons). All others are text to read.
 */
const decisiveFields = ['inputSchema', 'outputSchema', 'annotations', 'execution', 'icons'] as const;
/** Members of `_meta` that name the page that a client opens with the tool's result (MCP Apps and its predecessors). */
const decisiveMeta = ['ui', 'ui/resourceUri', 'openai/outputTemplate'] as const;

/** Compares a tool with its trusted definition: a server may become hostile with an update, as postmark-mcp did. */
export function judgeTool(pin: PinnedTool | undefined, seen: PinnedTool, policy: DriftPolicy): Judgement {
  if (pin?.sha256 === seen.sha256) return { change: undefined, underReview: false };
  const change = kindOfChange(pin, seen);
  if (policy === 'own') return { change, underReview: false };
  const isHarmless = change === 'text' || change === 'argument';
  return { change, underReview: policy === 'strict' || !isHarmless };
}

function kindOfChange(pin: PinnedTool | undefined, seen: PinnedTool): ToolChangeKind {
  if (!pin) return 'new';
  // an earlier release may have cleaned it differently, and kept the empty lists that PHP writes for objects
  const before = withoutEmptyLists(cleanDefinition('tool', pin.definition).cleaned);
  const after = seen.definition;
  if (definitionHash(decisivePart(before)) === definitionHash(decisivePart(after))) return 'text';
  return addsOptionalArgument(before, after) ? 'argument' : 'definition';
}

function decisivePart(definition: Record<string, unknown>): Record<string, unknown> {
  const meta = asRecord(definition['_meta']);
  return Object.fromEntries([
    ...decisiveFields.map((field) => [field, definition[field]] as const),
    ...decisiveMeta.map((key) => [`_meta.${key}`, meta?.[key]] as const),
  ]);
}

/** Keywords whose value contains schemas by name. */
const schemaMaps: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** Replaces an empty list under one of these keywords with an empty object. */
function withoutEmptyLists(definition: Record<string, unknown>): Record<string, unknown> {
  const read = (value: unknown, key?: string): unknown => {
    if (Array.isArray(value))
      return value.length === 0 && schemaMaps.has(key ?? '') ? {} : value.map((item) => read(item));
    return isRecord(value) ? repair(value) : value;
  };
  const repair = (record: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, read(value, key)]));
  return repair(definition);
}
