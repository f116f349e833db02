import type { ServerResponse } from 'node:http';
import type { Listening } from '#adapters/mcp/upstream.ts';

export function listeningOn(response: ServerResponse): Listening {
  if (response.destroyed || response.writableEnded) return 'gone';
  return response.writableNeedDrain ? 'busy' : 'ready';
}
