import { SdkErrorCode, type SdkError } from '@modelcontextprotocol/client';
import type { ToolCallOptions } from '../upstream.ts';
import { UpstreamError } from '../upstream-error.ts';

/**
 * Refuses a result without the structuredContent that its tool promises, or with one of another type: every official client
 * discards such a result. Its members are not checked. An error need not have structuredContent.
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
  if (structuredContent !== undefined && typeOf(structuredContent) !== 'object') throw badResult(otherType);
}

/**
 * Corrects structuredContent, in place, that the tool's schema does not allow: many servers send null for absent, and PHP
 * sends an empty list for an empty object.
 */
export function correctContent(
  result: { structuredContent?: unknown },
  { resultTypes: types }: Pick<ToolCallOptions, 'resultTypes'>,
): void {
  const { structuredContent: content } = result;
  if (content === null && !types?.includes('null')) delete result.structuredContent;
  const isEmptyList = Array.isArray(content) && content.length === 0;
  if (isEmptyList && types?.includes('object') && !types.includes('array')) result.structuredContent = {};
}

/** Whether an error of the SDK's client is about a result that contradicts its tool's output schema. */
export function isBadResult({ code, message }: SdkError): boolean {
  return code === SdkErrorCode.InvalidResult && message.includes('"structuredContent"');
}

function isOf(value: unknown, types: readonly string[]): boolean {
  const type = typeOf(value);
  return types.includes(type) || (type === 'number' && types.includes('integer') && isWhole(value));
}

function isWhole(value: unknown): boolean {
  // a raw number is one that no double holds (platform/json/exact-numbers.ts)
  return Number.isInteger(value) || (JSON.isRawJSON(value) && !/[.eE]/.test(JSON.stringify(value)));
}

/** The name of a value's type in JSON Schema. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (JSON.isRawJSON(value)) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

const otherType = 'the structuredContent has another type';
const badResult = (message: string) => new UpstreamError('bad_result', message);
