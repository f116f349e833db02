import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import type { LoggingMessageNotification, Progress } from '@modelcontextprotocol/client';
import { cancellationOf } from '#platform/cancellation.ts';
import { clientInfo, modernRevision } from '../connect/client-identity.ts';
import { logLevels, type ToolAnswer, type ToolCallOptions, type ToolParams } from '../upstream.ts';
import { UpstreamError } from '../upstream-error.ts';
import { Deadline } from './deadline.ts';
import { Exchange } from './exchange.ts';
import type { FastChannel } from './fast-channel.ts';
import { readAnswer } from './read-answer.ts';
import { sendCancelled } from './send-notice.ts';

/**
 * Calls a tool over a fast channel. Does only what the SDK's client and transport would do for such a call.
 * @throws UpstreamError (rejects), as Upstream.callTool does
 */
export function callFast(channel: FastChannel, params: ToolParams, options: ToolCallOptions): Promise<ToolAnswer> {
  const cancellation = cancellationOf(options.signal);
  const id = channel.nextId();
  // the caller hung up while the call was queued
  if (cancellation.aborted)
    return Promise.reject(new UpstreamError('cancelled', 'the caller cancelled', { wasUnsent: true }));
  return new Promise<ToolAnswer>((resolve, reject) => {
    let isTold = false;
    const end = () => {
      deadline.end();
      cancellation.listen(undefined);
      // notices that arrived just before the answer are still being forwarded: they must reach the client first
      if (isTold) setImmediate(() => entered.leave());
      else entered.leave();
    };
    const exchange = new Exchange(channel, id, {
      onAnswer(text, message) {
        end();
        try {
          const answer = readAnswer(text, message, channel.era, options);
          if (isTold) setImmediate(resolve, answer);
          else resolve(answer);
        } catch (error) {
          if (isTold) setImmediate(reject, error);
          else reject(error);
        }
      },
      onFailure(error) {
        end();
        reject(error);
      },
      onProgress(progress) {
        // why the cast: it is forwarded as the server sent it, and the client's SDK checks it
        entered.progress(progress as Progress);
      },
      onLog(message) {
        if (!isLogMessage(message)) return;
        isTold = true;
        entered.log(message);
      },
      onMessage(message) {
        isTold = true;
        entered.receive(message);
      },
    });
    const giveUp = (error: UpstreamError) => {
      end();
      reject(error);
      // a legacy server needs a notice; a modern one sees the closed stream (2026-07-28, basic/utilities/cancellation)
      if (channel.era === 'legacy') sendCancelled(channel, id, error.message, () => exchange.abandon());
      else exchange.abandon();
    };
    const deadline = new Deadline(
      { silenceMs: options.timeoutMs, totalMs: options.totalTimeoutMs },
      {
        expire: () => giveUp(new UpstreamError('timeout', 'no answer within the deadline')),
        onSlow: () => options.onSlow?.(),
      },
    );
    const entered = channel.running.enter(options, deadline);
    exchange.send(requestText(channel, id, params, options), headersOf(channel, params));
    cancellation.listen(() => {
      giveUp(new UpstreamError('cancelled', 'the caller cancelled', { wasUnsent: !exchange.isSent }));
    });
  });
}

function requestText(channel: FastChannel, id: number, params: ToolParams, options: ToolCallOptions): string {
  const meta = {
    ...(channel.era === 'modern' && {
      [PROTOCOL_VERSION_META_KEY]: modernRevision,
      [CLIENT_INFO_META_KEY]: clientInfo,
      [CLIENT_CAPABILITIES_META_KEY]: options.clientCapabilities ?? {},
    }),
    ...params._meta,
    ...(options.onProgress && { progressToken: id }),
  };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: params.name, ...(params.arguments !== undefined && { arguments: params.arguments }), _meta: meta },
  });
}

/** Names with other than ASCII characters never get here: the SDK encodes those for the header (SEP-2243). */
function headersOf(channel: FastChannel, { name }: ToolParams): Record<string, string> | undefined {
  return channel.era === 'modern' ? { 'mcp-method': 'tools/call', 'mcp-name': name } : undefined;
}

/** What the SDK's schema asks of a log message, which the gateway reads before it forwards it. */
function isLogMessage(params: Record<string, unknown>): params is LoggingMessageNotification['params'] {
  const { level, logger } = params;
  return (logLevels as readonly unknown[]).includes(level) && (logger === undefined || typeof logger === 'string');
}
