import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import type { Era } from '../upstream.ts';

/** Overrides what the server usually answers to one method, or sends before it answers a call. */
export type Script = {
  method?: string;
  result?: unknown;
  /** Sent on the stream of a call before its answer. */
  notice?: object;
  question?: object;
  /** Envelope of each message that has none of its own. */
  envelope?: object;
};

export type NullServer = {
  /** Returns the address at which the server follows this script. */
  url(script: Script): string;
  close(): Promise<void>;
};

/** A complete and ordinary server of one era, except for what the script in the address says. */
export async function startNullServer(era: Era): Promise<NullServer> {
  const scripts: Script[] = [];
  const waiting = new Map<number, () => void>();
  const server = createServer((request, response) => {
    response.on('error', () => {});
    const at = Number(request.url?.slice(1));
    void readMessage(request).then((message) => serve(at, message, response));
  });

  function serve(at: number, message: Record<string, unknown>, response: ServerResponse): void {
    const { id, method } = message;
    const script = scripts[at] ?? {};
    if (method === undefined || id === undefined) {
      response.writeHead(202).end();
      return method === undefined ? waiting.get(at)?.() : undefined;
    }
    const result = script.method === method ? script.result : usual(era, String(method));
    const complete = era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
    const answer = result
      ? { ...script.envelope, jsonrpc: '2.0', id, result: { ...complete, ...Object(result) } }
      : { ...script.envelope, jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } };
    if (method !== 'tools/call' || !(script.notice || script.question)) {
      response.writeHead(!result && era === 'modern' ? 404 : 200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(answer));
    }
    const token = Object(Object(message['params'])['_meta'])['progressToken'];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (sent: object) => {
      const text = JSON.stringify({ ...script.envelope, jsonrpc: '2.0', ...sent });
      response.write(`event: message\ndata: ${text.replaceAll('"TOKEN"', String(JSON.stringify(token)))}\n\n`);
    };
    if (script.notice) send(script.notice);
    if (script.question) {
      send({ id: 'asked', ...script.question });
      return void waiting.set(at, () => (send(answer), response.end()));
    }
    send(answer);
    response.end();
  }

  const { port, close } = await listenLocally(server);
  return { url: (script) => `http://127.0.0.1:${port}/${scripts.push(script) - 1}`, close };
}

/** Returns undefined for a method that the server does not have. */
function usual(era: Era, method: string): object | undefined {
  const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} };
  switch (method) {
    case 'initialize':
      return era === 'modern'
        ? undefined
        : { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'dull', version: '1' } };
    case 'server/discover':
      return era === 'modern' ? { supportedVersions: ['2026-07-28'], capabilities } : undefined;
    case 'tools/call':
      return { content: [{ type: 'text', text: 'dull' }] };
    case 'logging/setLevel':
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

async function readMessage(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : { ...Object(JSON.parse(text)) };
}
