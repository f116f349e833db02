import { parseJSONRPCMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { UpstreamError } from '../upstream-error.ts';
import { withOwnId } from './own-id.ts';
import { parseServerJson } from './server-messages.ts';

/** Some servers print a banner to stdout. One that prints this many other messages in a row is not an MCP server. */
export const maxForeignInARow = 100;

/**
 * Reads one JSON-RPC message from one line or frame. Skips and counts other text.
 * @returns undefined for skipped text
 * @throws UpstreamError bad_upstream at the hundredth in a row, and for JSON that is too deep
 */
export function createMessageReader(): (text: string) => JSONRPCMessage | undefined {
  let foreign = 0;
  return (text) => {
    if (text.trim() === '') return undefined;
    const message = parse(text);
    foreign = message ? 0 : foreign + 1;
    if (foreign >= maxForeignInARow) {
      throw new UpstreamError('bad_upstream', `${maxForeignInARow} messages in a row that are not JSON-RPC`);
    }
    return message;
  };
}

function parse(text: string): JSONRPCMessage | undefined {
  // JSON-RPC messages are objects: checking the first character avoids an exception for each line of a banner
  if (text.trimStart()[0] !== '{') return undefined;
  try {
    return withOwnId(parseJSONRPCMessage(parseServerJson(text)));
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
    return undefined;
  }
}
