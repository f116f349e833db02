import type { ServerResponse } from 'node:http';

/** Answers a request with a JSON-RPC error, with the id of `body` where it has one. */
export function sendJsonRpcError(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  body?: unknown,
): void {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  const known = typeof id === 'string' || typeof id === 'number' ? id : null;
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: known, error: { code, message } }));
}
