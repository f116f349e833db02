import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import { ownMeta } from '#platform/own-meta.ts';

const advice = 'Check whether it took effect before you try again.';
const reasons = {
  stopped: {
    rpc: -32603,
    code: 'upstream_unavailable',
    text: `The call was lost: the part of the gateway that ran it has stopped. ${advice}`,
  },
  too_much: {
    rpc: -32603,
    code: 'upstream_unavailable',
    text: `The call has ended, but too much waits to be passed on to you, so its result was dropped. ${advice}`,
  },
  over: {
    rpc: -32602,
    code: 'question_over',
    text: 'This question is over: the call that asked it has ended, so the answer was not used. Make the call again, without the answer; the question then comes anew.',
  },
};

/** A round has no answer of its call for its client: that may have run in another process, or has ended before. */
export class LostCallError extends ProtocolError {
  readonly reason: string;

  constructor(why: keyof typeof reasons) {
    const { rpc, code, text } = reasons[why];
    super(rpc, text, { code });
    this.reason = code;
  }

  /** For a tool, because models never see JSON-RPC errors. */
  toResult(): CallToolResult {
    return { content: [{ type: 'text', text: this.message }], isError: true, _meta: ownMeta({ code: this.reason }) };
  }
}
