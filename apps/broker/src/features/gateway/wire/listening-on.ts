import type { ServerResponse } from 'node:http';
import type { Listening } from '#adapters/mcp/upstream.ts';

/** Whether the client at the other end of an answer takes a notice. */
export function listeningOn(response: ServerResponse): Listening {
  if (response.destroyed || response.writableEnded) return 'gone';
  return response.writableNeedDrain ? 'busy' : 'ready';
}
