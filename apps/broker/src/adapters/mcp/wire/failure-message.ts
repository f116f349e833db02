import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { UpstreamError } from '../upstream-error.ts';

/** Never sent: the code only carries an UpstreamError through the SDK to the call that it ends. */
const injectedErrorCode = -32000;

/**
 * A message that makes the SDK reject one open request with our error. The error is in `data`, where no upstream can
 * forge it: parsed JSON is never an UpstreamError.
 */
export function failureMessage(id: RequestId, error: UpstreamError): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: injectedErrorCode, message: error.message, data: error } };
}
