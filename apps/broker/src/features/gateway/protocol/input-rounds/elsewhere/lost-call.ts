import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import { ownMeta } from '#platform/own-meta.ts';

const text =
  'The call was lost: the part of the gateway that ran it has stopped. Check whether it took effect before you try again.';
const code = 'upstream_unavailable';

/** The process that ran a call does not answer any more. */
export class LostCallError extends ProtocolError {
  constructor() {
    super(-32603, text, { code });
  }

  /** For a tool, because models never see JSON-RPC errors. */
  toResult(): CallToolResult {
    return { content: [{ type: 'text', text }], isError: true, _meta: ownMeta({ code }) };
  }
}
