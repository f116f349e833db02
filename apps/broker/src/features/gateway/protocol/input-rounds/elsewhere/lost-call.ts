import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import { failedResult } from '../../../call/own-results.ts';

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
    text: `The call has ended, but too much is waiting to be delivered to you, so its result was dropped. ${advice}`,
  },
  over: {
    rpc: -32602,
    code: 'question_over',
    text: 'This question is over: the call that asked it has ended, so the answer was not used. Make the call again, without the answer; you will be asked again.',
  },
};

/** A round that cannot answer its client: its call ran in another process, or has ended. */
export class LostCallError extends ProtocolError {
  readonly reason: string;

  constructor(why: keyof typeof reasons) {
    const { rpc, code, text } = reasons[why];
    super(rpc, text, { code });
    this.reason = code;
  }

  toResult(): CallToolResult {
    return failedResult(this.message, { code: this.reason });
  }
}
