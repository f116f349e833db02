import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client';
import type { HttpEndpoint } from './plain/plain-channel.ts';
import type { UpstreamCredential } from './types.ts';
import type { UpstreamError } from './upstream-error.ts';

/** A transport that can say why it ended: open calls then fail with that reason rather than with "closed". */
export type UpstreamTransport = Transport & {
  readonly ended: UpstreamError | undefined;
  readonly pid?: number | undefined;
  /** Of HTTP connections alone, once they are open. */
  endpoint?(): HttpEndpoint | undefined;
  /** Ends it without ceremony: after a handshake that failed nobody waits for a process to take its leave. */
  abort(): Promise<void>;
};

export type NetworkTransportOptions = {
  url: URL;
  headers: Record<string, string>;
  credential?: UpstreamCredential;
  allowAddresses: readonly string[];
  connectTimeoutMs: number;
  maxResultBytes: number;
};

/** No JSON-RPC peer may use it: the code only carries an UpstreamError through the SDK to the call that it ends. */
const injectedErrorCode = -32000;

/**
 * The message that makes the SDK reject one open request with an error of ours. The error itself travels as `data`,
 * which no upstream can forge: JSON makes no UpstreamError.
 */
export function failureMessage(id: RequestId, error: UpstreamError): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: injectedErrorCode, message: error.message, data: error } };
}
