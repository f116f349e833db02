import type { ServerResponse } from 'node:http';

/** What a hand-written server reads of a request. */
export type Rpc = {
  id: string | number | undefined;
  method: string;
  cursor: string | undefined;
  progressToken: unknown;
};

export function answer(response: ServerResponse, id: string | number | null, result: unknown): void {
  send(response, 200, 'application/json', { jsonrpc: '2.0', id, result });
}

export function send(response: ServerResponse, status: number, contentType: string, body: unknown): void {
  response.writeHead(status, { 'content-type': contentType }).end(JSON.stringify(body));
}
