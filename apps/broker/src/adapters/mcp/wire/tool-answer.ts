import { SERVER_INFO_META_KEY, type CallToolResult, type InputRequiredResult } from '@modelcontextprotocol/client';
import { asRecord } from '#platform/json.ts';
import { parseExactly } from '#platform/json/exact-numbers.ts';
import { withoutOwnMeta } from '#platform/own-meta.ts';
import type { ToolAnswer, ToolResult } from '../upstream.ts';

/** A result that is passed on unchanged. A class, because nearly every call creates one. */
export class WrittenResult implements ToolResult {
  readonly kind: ToolResult['kind'];
  readonly members: string;
  readonly meta: Record<string, unknown> | undefined;

  constructor(kind: ToolResult['kind'], members: string, meta: Record<string, unknown> | undefined) {
    this.kind = kind;
    this.members = members;
    this.meta = meta;
  }

  toResult(): CallToolResult {
    // why the cast: the text was checked before this object was created
    return { ...(parseExactly(`{${this.members}}`) as CallToolResult), ...(this.meta && { _meta: this.meta }) };
  }
}

export class ParsedResult implements ToolResult {
  /** The result without `_meta` and resultType, which belong to the exchange with the server. */
  readonly #result: CallToolResult;
  readonly meta: Record<string, unknown> | undefined;

  constructor(whole: CallToolResult & { resultType?: unknown }) {
    const { _meta: meta, resultType: _, ...result } = whole;
    this.#result = result;
    this.meta = passedMeta(asRecord(meta));
  }

  get kind(): ToolResult['kind'] {
    return kindOf(this.#result);
  }

  get members(): string {
    return JSON.stringify(this.#result).slice(1, -1);
  }

  toResult(): CallToolResult {
    return { ...this.#result, ...(this.meta && { _meta: this.meta }) };
  }
}

export function kindOf(result: { isError?: unknown }): ToolResult['kind'] {
  return result.isError === true ? 'tool_error' : 'complete';
}

export function questionsOf(questions: InputRequiredResult): ToolAnswer {
  return { kind: 'input_required', questions: withPassedMeta(questions) };
}

/**
 * Returns the `_meta` of a server's answer as the client may see it: without the upstream's name (trap 4) and our own keys.
 * Returns the same object if there is nothing to remove.
 */
export function passedMeta(meta: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (!meta) return meta;
  const own = withoutOwnMeta(meta);
  if (!(SERVER_INFO_META_KEY in own)) return own;
  const { [SERVER_INFO_META_KEY]: _, ...rest } = own;
  return rest;
}

export function withPassedMeta<Result extends { _meta?: Record<string, unknown> | undefined }>(result: Result): Result {
  const { _meta: meta } = result;
  const rest = passedMeta(meta);
  return rest === meta ? result : { ...result, _meta: rest };
}
