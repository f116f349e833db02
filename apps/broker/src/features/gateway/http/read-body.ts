import { isUtf8 } from 'node:buffer';
import { errorCatalogue, type ErrorCode } from '@souk/contract/errors.ts';
import { isTooDeep } from '#platform/http/json-depth.ts';

export const maxMcpBodyBytes = 1024 * 1024;

/** `data` names the code of the contract, for programs. */
export type ReadBody = { body: unknown } | { code: -32700 | -32600; message: string; data?: { code: ErrorCode } };

/** Parses a JSON-RPC body once for all later steps. */
export function readBody(bytes: Buffer): ReadBody {
  if (!isUtf8(bytes)) return { code: -32700, message: 'Parse error: the body is not UTF-8' };
  // a byte order mark may be ignored (RFC 8259, section 8.1)
  const text = bytes.toString('utf8', startsWithMark(bytes) ? 3 : 0);
  if (isTooDeep(text)) {
    const { message } = errorCatalogue.too_deep;
    return { code: -32600, message: `Invalid Request: ${message}`, data: { code: 'too_deep' } };
  }
  try {
    return { body: JSON.parse(text) };
  } catch {
    return { code: -32700, message: 'Parse error: the body is not JSON' };
  }
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
