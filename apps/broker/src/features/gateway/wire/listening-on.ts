import type { ServerResponse } from 'node:http';
import type { Listening } from '#adapters/mcp/upstream.ts';

/** Whether the client reads notices on this response. */
export function listeningOn(response: ServerResponse): Listening {
  if (response.destroyed || response.writableEnded) return 'gone';
  return response.writableNeedDrain ? 'busy' : 'ready';
}
