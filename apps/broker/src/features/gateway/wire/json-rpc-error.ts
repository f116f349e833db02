import type { ServerResponse } from 'node:http';
import { asRecord } from '#platform/json.ts';
import { sendAnswer } from '#platform/http/answers/send-answer.ts';

export type JsonRpcError = {
  jsonrpc: '2.0';
  id: string | number | null;
  error: { code: number; message: string; data?: unknown };
};

/** A JSON-RPC error with the id of `body`, the request that it answers, if that has one. */
export function jsonRpcError(code: number, message: string, body?: unknown, data?: unknown): JsonRpcError {
  const id = asRecord(body)?.['id'];
  const known = typeof id === 'string' || typeof id === 'number' ? id : null;
  return { jsonrpc: '2.0', id: known, error: { code, message, ...(data !== undefined && { data }) } };
}

export function sendJsonRpcError(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  body?: unknown,
  data?: unknown,
): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  sendAnswer(response, status, headers, JSON.stringify(jsonRpcError(code, message, body, data)));
}
