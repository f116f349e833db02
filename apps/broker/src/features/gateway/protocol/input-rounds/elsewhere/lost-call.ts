import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import { ownMeta } from '#platform/own-meta.ts';

const reasons = {
  stopped: 'The call was lost: the part of the gateway that ran it has stopped.',
  too_much: 'The call has ended, but too much waits to be passed on to you, so its result was dropped.',
};
const advice = 'Check whether it took effect before you try again.';
const code = 'upstream_unavailable';

/** A call has no answer for its client, although it may have run in another process. */
export class LostCallError extends ProtocolError {
  constructor(why: keyof typeof reasons) {
    super(-32603, `${reasons[why]} ${advice}`, { code });
  }

  /** For a tool, because models never see JSON-RPC errors. */
  toResult(): CallToolResult {
    return { content: [{ type: 'text', text: this.message }], isError: true, _meta: ownMeta({ code }) };
  }
}
