import { isUtf8 } from 'node:buffer';
import { errorCatalogue, type ErrorCode } from '@souk/contract/errors.ts';
import { maxJsonDepth } from '#platform/http/json-depth.ts';
import { asRecord } from '#platform/json.ts';
import { markLongNumbers, withExactNumbers } from '#platform/json/exact-numbers.ts';
import { scanJson } from '#platform/json/scan-json.ts';
import { withoutAbsentOfClient } from './client-messages.ts';
import { hasInexactId, inexactId } from '../wire/exact-ids.ts';
import { messagesOf } from '../wire/messages-of.ts';

export const maxMcpBodyBytes = 1024 * 1024;

/**
 * JSON values in a body, not counting the arguments of calls, which are passed on unread. The SDK's schemas take about 2 us
 * per value: a second for a MiB of `[],[],…` in a client's capabilities.
 */
const maxValues = 5000;
/** Messages in one body, as in the SDK. A session refuses larger batches with its own text, before any schema runs. */
export const maxBatch = 100;
/** A value and its separator, in characters. */
const shortestValue = 2;

/** `data.code` is the contract's error code, for programs. */
type ReadBody = { body: unknown } | { code: -32700 | -32600; message: string; data?: { code: ErrorCode } };

/** Parses a JSON-RPC body once for all later steps. */
export function readBody(bytes: Buffer): ReadBody {
  if (!isUtf8(bytes)) return { code: -32700, message: 'Parse error: the body is not UTF-8' };
  // a byte order mark may be ignored (RFC 8259, section 8.1)
  const text = bytes.toString('utf8', startsWithMark(bytes) ? 3 : 0);
  const { isTooDeep, hasNull, hasEmptyList, hasLongNumber } = scanJson(text, maxJsonDepth);
  if (isTooDeep) {
    const { message } = errorCatalogue.too_deep;
    return { code: -32600, message: `Invalid Request: ${message}`, data: { code: 'too_deep' } };
  }
  let body: unknown;
  try {
    body = JSON.parse(hasLongNumber ? markLongNumbers(text) : text);
  } catch {
    return { code: -32700, message: 'Parse error: the body is not JSON' };
  }
  if (text.length >= maxValues * shortestValue && hasTooManyValues(body)) {
    return {
      code: -32600,
      message: `Invalid Request: more than ${maxValues} values, not counting the arguments of calls`,
    };
  }
  if (hasLongNumber && hasInexactId(body)) return { code: -32600, message: inexactId };
  if (hasNull || hasEmptyList || hasLongNumber) body = withoutAbsentOfClient(body);
  return { body: hasLongNumber ? withExactNumbers(body) : body };
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** Stops counting at the limit. The depth of the values has been checked. */
function hasTooManyValues(body: unknown): boolean {
  const messages = messagesOf(body);
  if (messages.length > maxBatch) return false;
  const callArguments = new Set(messages.map((message) => asRecord(asRecord(message)?.['params'])?.['arguments']));
  let left = maxValues;
  const count = (value: unknown): boolean => {
    if (--left < 0) return true;
    if (typeof value !== 'object' || value === null || callArguments.has(value)) return false;
    return Object.values(value).some(count);
  };
  return count(body);
}
