import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { modernRequest } from './modern-request.ts';

const headers = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });
const info = { name: 'test-client', version: '1.0.0' };
/** A timeout that no passing test comes near; by default the clients give up after a minute. */
const hang = { timeout: 600_000 };

type CallParams = { name: string; arguments?: Record<string, unknown> };
type CallOptions = { signal?: AbortSignal; onprogress?: (progress: { progress: number }) => void };

/** Calls of every generation of the official client, under one set of signatures. */
export type TestClient = Pick<Client, 'listTools' | 'listPrompts' | 'listResources' | 'close'> & {
  callTool(
    params: CallParams,
    options?: CallOptions,
  ): Promise<{ content?: unknown; structuredContent?: unknown; isError?: unknown; _meta?: unknown }>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<{ messages: unknown[] }>;
  readResource(params: { uri: string }): Promise<{ contents: { uri: string }[] }>;
  onNotice(listener: (method: string) => void): void;
};

async function connectV2(url: string, token: string, mode: 'legacy' | { pin: '2026-07-28' }): Promise<TestClient> {
  const client = new Client(info, { versionNegotiation: { mode } });
  const { promise: streamIsOpen, resolve } = Promise.withResolvers<void>();
  const fetchAndTell: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'GET') resolve();
    return response;
  };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { ...headers(token), fetch: fetchAndTell }),
    hang,
  );
  // earlier notices would reach no client; the client opens the stream after `connect` has resolved
  if (mode === 'legacy') await streamIsOpen;
  return {
    listTools: () => client.listTools(undefined, hang),
    listPrompts: () => client.listPrompts(undefined, hang),
    listResources: () => client.listResources(undefined, hang),
    callTool: (params, options) => client.callTool(params, { ...hang, ...options }),
    getPrompt: (params) => client.getPrompt(params, hang),
    readResource: (params) => client.readResource(params, hang),
    onNotice: (listener) => {
      client.fallbackNotificationHandler = async ({ method }) => listener(method);
    },
    close: () => client.close(),
  };
}

/** Connects the official SDK v2, opening with server/discover: revision 2026-07-28. */
export const connectModern = (url: string, token: string) => connectV2(url, token, { pin: '2026-07-28' });

/** Connects the official SDK v2 as a client of the earlier eras: initialize and a session. */
export const connectLegacy = (url: string, token: string) => connectV2(url, token, 'legacy');

/** Connects the official SDK 1.x, as most clients have it. */
export async function connectV1(url: string, token: string): Promise<TestClient> {
  const client = new ClientV1(info);
  const transport = new TransportV1(new URL(url), headers(token));
  // SDK 1.x declares optional members without `undefined`, which exactOptionalPropertyTypes takes literally.
  await client.connect(transport as Parameters<ClientV1['connect']>[0], hang);
  return {
    // Both generations list alike; their types were made from different revisions of the schema.
    listTools: () => client.listTools(undefined, hang) as ReturnType<Client['listTools']>,
    listPrompts: () => client.listPrompts(undefined, hang) as ReturnType<Client['listPrompts']>,
    listResources: () => client.listResources(undefined, hang) as ReturnType<Client['listResources']>,
    callTool: (params, options) => client.callTool(params, undefined, { ...hang, ...options }),
    getPrompt: (params) => client.getPrompt(params, hang),
    readResource: (params) => client.readResource(params, hang),
    onNotice: (listener) => {
      client.fallbackNotificationHandler = async ({ method }) => listener(method);
    },
    close: () => client.close(),
  };
}

export type RawAnswer = { status: number; headers: Headers; text: string; body: RpcBody };
export type RpcBody = {
  id?: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
};

/** Sends one handwritten request, which may be invalid in ways that a client would not allow. */
export async function postRaw(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
  });
  const text = await response.text();
  const json = text.startsWith('{')
    ? text
    : (text
        .split('\n')
        .find((line) => line.startsWith('data: {'))
        ?.slice(6) ?? '{}');
  const parsed: RpcBody = JSON.parse(json);
  return { status: response.status, headers: response.headers, text, body: parsed };
}

/** Sends a handwritten modern request with its headers; `over` replaces some of them. */
export function postModern(
  url: string,
  token: string,
  method: string,
  params: Record<string, unknown> = {},
  over: Record<string, string> = {},
): Promise<RawAnswer> {
  const { headers, body } = modernRequest(token, method, params);
  return postRaw(url, body, { ...headers, ...over });
}
