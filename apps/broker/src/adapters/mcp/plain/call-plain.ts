import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import { clientInfo, modernRevision } from '../open-upstream.ts';
import { UpstreamError } from '../upstream-error.ts';
import type { Cancellation } from './cancellation.ts';
import { Exchange } from './exchange.ts';
import type { PlainChannel } from './plain-channel.ts';
import { replyTo, sendCancelled } from './send-notice.ts';

export type PlainToolCall = {
  name: string;
  /** JSON text of the arguments, or undefined where the client gave none. */
  arguments: unknown;
  /** The client's own `_meta`, without what belongs to its hop. */
  meta: Record<string, unknown>;
  /** What the client can do, where it says so with each request. */
  clientCapabilities: unknown;
};

export type PlainCallOptions = {
  cancellation: Cancellation;
  /** Longest silence; progress starts it anew. */
  timeoutMs: number;
  /** The cap that progress cannot move. */
  totalTimeoutMs: number;
  onProgress: ((params: Record<string, unknown>) => Promise<void> | undefined) | undefined;
};

/** A JSON-RPC answer: the message, and the text in which it stood. */
export type PlainAnswer = { text: string; message: Record<string, unknown> };

/**
 * Calls a tool over a plain channel: what SDK client and transport do for such a call, and nothing else.
 * @throws UpstreamError (rejects), as Upstream.callTool does; a JSON-RPC error of the server is an answer here
 */
export function callToolPlain(
  channel: PlainChannel,
  call: PlainToolCall,
  options: PlainCallOptions,
): Promise<PlainAnswer> {
  const { cancellation, timeoutMs, totalTimeoutMs, onProgress } = options;
  const id = channel.nextId();
  // hung up while the call waited for its place
  if (cancellation.aborted) return Promise.reject(new UpstreamError('cancelled', 'the caller cancelled'));
  return new Promise<PlainAnswer>((resolve, reject) => {
    const startedAtMs = performance.now();
    const end = () => {
      clearTimeout(timer);
      cancellation.listen(undefined);
    };
    const exchange = new Exchange(channel, id, {
      onAnswer(text, message) {
        end();
        resolve({ text, message });
      },
      onFailure(error) {
        end();
        reject(error);
      },
      onProgress(params) {
        const leftMs = startedAtMs + totalTimeoutMs - performance.now();
        if (leftMs > timeoutMs) timer.refresh();
        else {
          clearTimeout(timer);
          timer = setTimeout(expire, leftMs);
        }
        return onProgress?.(params);
      },
      onRequest: (asked, method) => replyTo(channel, asked, method),
    });
    const giveUp = (error: UpstreamError) => {
      end();
      reject(error);
      // a legacy server is told why; a modern one reads it from the closed stream (2026-07-28, basic/utilities/cancellation)
      if (channel.era === 'legacy') sendCancelled(channel, id, error.message, () => exchange.abandon());
      else exchange.abandon();
    };
    const expire = () => giveUp(new UpstreamError('timeout', 'no answer within the deadline'));
    let timer = setTimeout(expire, Math.min(timeoutMs, totalTimeoutMs));
    exchange.send(requestText(channel, id, call, onProgress !== undefined), headersOf(channel, call));
    cancellation.listen(() => giveUp(new UpstreamError('cancelled', 'the caller cancelled')));
  });
}

function requestText(channel: PlainChannel, id: number, call: PlainToolCall, withProgress: boolean): string {
  const meta = {
    ...(channel.era === 'modern' && {
      [PROTOCOL_VERSION_META_KEY]: modernRevision,
      [CLIENT_INFO_META_KEY]: clientInfo,
      [CLIENT_CAPABILITIES_META_KEY]: call.clientCapabilities ?? {},
    }),
    ...call.meta,
    ...(withProgress && { progressToken: id }),
  };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: call.name, ...(call.arguments !== undefined && { arguments: call.arguments }), _meta: meta },
  });
}

/** Header values are ASCII: a name that is not goes the SDK's way, which encodes it (SEP-2243). */
function headersOf(channel: PlainChannel, call: PlainToolCall): Record<string, string> | undefined {
  return channel.era === 'modern' ? { 'mcp-method': 'tools/call', 'mcp-name': call.name } : undefined;
}
