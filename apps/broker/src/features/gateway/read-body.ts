import { isTooDeep } from '#platform/http/json-depth.ts';

export const maxMcpBodyBytes = 1024 * 1024;

export type ReadBody = { body: unknown } | { code: -32700 | -32600; message: string };

/** Parses a JSON-RPC body once, for everybody behind. */
export function readBody(bytes: Buffer): ReadBody {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { code: -32700, message: 'Parse error: the body is not UTF-8' };
  }
  if (isTooDeep(text)) return { code: -32600, message: 'Invalid Request: the body is nested too deep' };
  try {
    return { body: JSON.parse(text) };
  } catch {
    return { code: -32700, message: 'Parse error: the body is not JSON' };
  }
}
