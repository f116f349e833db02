import { parseJSONRPCMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { asRecord } from '#platform/json.ts';
import { failureMessage } from './failure-message.ts';
import { UpstreamError } from '../upstream-error.ts';
import { readOwnId, withOwnId } from './own-id.ts';
import { parseServerJson } from './server-messages.ts';
import { hasTwoOutcomes, twoOutcomes } from './two-outcomes.ts';

/** Some servers print a banner to stdout. A program that prints this many lines without a message is not an MCP server. */
export const maxForeignInARow = 100;

/**
 * Reads one JSON-RPC message from one line or frame. Skips and counts other text.
 * @returns undefined for skipped text
 * @throws UpstreamError bad_upstream at the hundredth skipped text in a row, and for JSON that is too deep
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
  // also removes a byte order mark, which counts as space
  const json = text.trimStart();
  // JSON-RPC messages are objects: checking the first character avoids an exception for each line of a banner
  if (json[0] !== '{') return undefined;
  try {
    const written = parseServerJson(json);
    return failureOfTwoOutcomes(written) ?? withOwnId(parseJSONRPCMessage(written));
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
    return undefined;
  }
}

/** A message that fails the call whose answer has both a result and an error. The SDK would skip such an answer. */
function failureOfTwoOutcomes(written: unknown): JSONRPCMessage | undefined {
  const answer = asRecord(written);
  if (!answer || !hasTwoOutcomes(answer)) return undefined;
  const id = readOwnId(answer['id']);
  return typeof id === 'number' ? failureMessage(id, twoOutcomes()) : undefined;
}
