import { postRaw } from './mcp-clients.ts';

type SessionOptions = {
  revision?: '2025-03-26' | '2025-06-18' | '2025-11-25';
  /** Capabilities. Without any the client cannot be asked anything, so its calls may use the fast path. */
  capabilities?: Record<string, unknown>;
  clientInfo?: { name: string; version: string };
};

/** Headers that every request of a session has. */
export type SessionHeaders = { authorization: string; 'mcp-session-id': string };

/** Builds the request that opens a session, for tests that send it in their own way. */
export function initializeRequest({
  revision = '2025-11-25',
  capabilities = {},
  clientInfo = { name: 'raw', version: '1' },
}: SessionOptions = {}): string {
  const params = { protocolVersion: revision, capabilities, clientInfo };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
}

/** Opens a legacy session by hand, like a client that then sends its requests as raw text. */
export async function openSession(url: string, token: string, options: SessionOptions = {}): Promise<SessionHeaders> {
  const authorization = `Bearer ${token}`;
  const opened = await postRaw(url, initializeRequest(options), { authorization });
  const sessionId = opened.headers.get('mcp-session-id');
  if (opened.status !== 200 || sessionId === null) throw new Error(`no session: ${opened.status} ${opened.text}`);
  const headers = { authorization, 'mcp-session-id': sessionId };
  await postRaw(url, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), headers);
  return headers;
}
