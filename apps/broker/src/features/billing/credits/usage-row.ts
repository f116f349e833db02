/**
 * Record of one call. Declared here and not in usage, because billing writes the row of a charged call in the transaction of
 * its charge.
 */
export type UsageRow = {
  callId: string;
  userId: string;
  /** Undefined for a built-in tool and for an unknown name. */
  serverId: string | undefined;
  kind: 'tool' | 'prompt' | 'resource';
  /** The server's own name of the tool or prompt, or the URI of the resource. */
  name: string;
  /**
   * ok: a result. error: the result has isError, or the server returned a JSON-RPC error. failed: dispatched, but there
   * was no valid answer. refused: not dispatched, or the server asked for input. cancelled: by the client.
   */
  outcome: 'ok' | 'error' | 'failed' | 'refused' | 'cancelled';
  reason: string | undefined;
  credits: number;
  /** Number of calls that the row stands for; 1 by default. */
  count?: number;
  /** Number of rounds of the call, 1 by default: each question that the client answered adds one. */
  rounds?: number | undefined;
  durationMs: number;
  clientId: string;
  tokenId: string;
  /** When the call, or its first round, ended. Together with callId, the key of the row. */
  atMs: number;
};
