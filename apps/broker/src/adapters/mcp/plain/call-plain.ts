import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type ClientCapabilities,
} from '@modelcontextprotocol/client';
import { clientInfo, modernRevision } from '../open-upstream.ts';
import { UpstreamError } from '../upstream-error.ts';
import type { Cancellation } from './cancellation.ts';
import { Deadline } from './deadline.ts';
import { Exchange } from './exchange.ts';
import type { PlainChannel } from './plain-channel.ts';
import type { Asking } from '../types.ts';
import { sendCancelled } from './send-notice.ts';

export type PlainToolCall = {
  name: string;
  /** JSON text of the arguments, or undefined where the client gave none. */
  arguments: unknown;
  /** The client's own `_meta`, without what belongs to its hop. */
  meta: Record<string, unknown>;
};

export type PlainLimits = {
  /** Longest silence; progress starts it anew. */
  timeoutMs: number;
  /** The cap that progress cannot move. */
  totalTimeoutMs: number;
};

/** Whose call it is: asked and told in the middle of it. */
export type PlainCaller = Required<Asking> & {
  /** Told to a modern server with the call. */
  readonly clientCapabilities: ClientCapabilities;
  readonly cancellation: Cancellation;
  readonly wantsProgress: boolean;
  /** A promise holds the server's stream back until it is over. */
  onProgress(params: Record<string, unknown>): Promise<void> | undefined;
  /** The call has lasted a second. */
  onSlow(): void;
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
  caller: PlainCaller,
  { timeoutMs, totalTimeoutMs }: PlainLimits,
): Promise<PlainAnswer> {
  const { cancellation } = caller;
  const id = channel.nextId();
  // hung up while the call waited for its place
  if (cancellation.aborted) return Promise.reject(new UpstreamError('cancelled', 'the caller cancelled'));
  return new Promise<PlainAnswer>((resolve, reject) => {
    let isTold = false;
    const end = () => {
      deadline.end();
      cancellation.listen(undefined);
      // what came just before the end is still on its way to the client, and comes before the answer
      if (isTold) setImmediate(() => entered.leave());
      else entered.leave();
    };
    const exchange = new Exchange(channel, id, {
      onAnswer(text, message) {
        end();
        if (isTold) setImmediate(resolve, { text, message });
        else resolve({ text, message });
      },
      onFailure(error) {
        end();
        reject(error);
      },
      onProgress(params) {
        deadline.heard();
        return caller.onProgress(params);
      },
      onMessage(message) {
        isTold = true;
        entered.receive(message);
      },
    });
    const giveUp = (error: UpstreamError) => {
      end();
      reject(error);
      // a legacy server is told why; a modern one reads it from the closed stream (2026-07-28, basic/utilities/cancellation)
      if (channel.era === 'legacy') sendCancelled(channel, id, error.message, () => exchange.abandon());
      else exchange.abandon();
    };
    const deadline = new Deadline(
      { silenceMs: timeoutMs, totalMs: totalTimeoutMs },
      {
        expire: () => giveUp(new UpstreamError('timeout', 'no answer within the deadline')),
        onSlow: () => caller.onSlow(),
      },
    );
    const entered = channel.running.enter(caller, deadline);
    exchange.send(requestText(channel, id, call, caller), headersOf(channel, call));
    cancellation.listen(() => giveUp(new UpstreamError('cancelled', 'the caller cancelled')));
  });
}

function requestText(channel: PlainChannel, id: number, call: PlainToolCall, caller: PlainCaller): string {
  const meta = {
    ...(channel.era === 'modern' && {
      [PROTOCOL_VERSION_META_KEY]: modernRevision,
      [CLIENT_INFO_META_KEY]: clientInfo,
      [CLIENT_CAPABILITIES_META_KEY]: caller.clientCapabilities,
    }),
    ...call.meta,
    ...(caller.wantsProgress && { progressToken: id }),
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
