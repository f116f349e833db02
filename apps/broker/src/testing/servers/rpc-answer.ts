import type { ServerResponse } from 'node:http';

/** Parts of a request that a handwritten server reads. */
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

/** Answers a request of a method that has a result, and refuses any other as unknown. */
export function answerBy(
  response: ServerResponse,
  { id, method }: { id: unknown; method: unknown },
  results: Readonly<Record<string, unknown>>,
): void {
  const result = results[String(method)];
  const error = { code: -32_601, message: 'Method not found' };
  send(response, 200, 'application/json', { jsonrpc: '2.0', id, ...(result ? { result } : { error }) });
}
