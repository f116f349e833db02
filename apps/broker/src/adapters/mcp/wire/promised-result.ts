import { SdkErrorCode, type SdkError } from '@modelcontextprotocol/client';
import { isRecord } from '#platform/json.ts';
import type { ToolCallOptions } from '../upstream.ts';
import { UpstreamError } from '../upstream-error.ts';

/**
 * Refuses a result without the structuredContent that its tool promises, or with one of another type: every official client
 * throws such a result away. What its members are is not looked at. An error need not have it.
 * @throws UpstreamError bad_result
 */
export function checkPromised(
  { isError, structuredContent }: { isError?: unknown; structuredContent?: unknown },
  { resultTypes }: Pick<ToolCallOptions, 'resultTypes'>,
): void {
  if (resultTypes === undefined || isError === true) return;
  if (structuredContent === undefined) throw badResult('the result has no structuredContent');
  if (!isOf(structuredContent, resultTypes)) throw badResult(otherType);
}

/** Up to 2025-11-25 structuredContent is always an object. @throws UpstreamError bad_result */
export function checkLegacy({ structuredContent }: { structuredContent?: unknown }): void {
  if (structuredContent !== undefined && !isRecord(structuredContent)) throw badResult(otherType);
}

/** What the SDK's client says of such a result. */
export function isBadResult({ code, message }: SdkError): boolean {
  return code === SdkErrorCode.InvalidResult && message.includes('"structuredContent"');
}

function isOf(value: unknown, types: readonly string[]): boolean {
  return types.includes(typeOf(value)) || (types.includes('integer') && Number.isInteger(value));
}

/** As JSON Schema names it. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const otherType = 'the structuredContent has another type';
const badResult = (message: string) => new UpstreamError('bad_result', message);
