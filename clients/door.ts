import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from '../apps/broker/src/testing/servers/listen-locally.ts';
import { Trace, type SeenCall } from './trace.ts';

/** The public address of the product: a proxy that passes requests to its brokers in turn, and records what clients do. */
export type Door = {
  port: number;
  /** The record of the current client. */
  trace: Trace;
  /** Ports of the brokers, in turn. */
  brokers: readonly number[];
  /** Makes brokers treat the access token that was used last as expired. */
  expireToken(): void;
  close(): Promise<void>;
};

const refresh = /(?:^|&)grant_type=refresh_token(?:&|$)/;

export async function openDoor(): Promise<Door> {
  const agent = new Agent({ keepAlive: false });
  const expired = new Set<string>();
  let lastToken: string | undefined;
  let turn = 0;
  const server = createServer((incoming, answer) => {
    void pass(incoming, answer).catch(() => answer.destroy());
  });
  const { port, close } = await listenLocally(server);

  async function pass(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const broker = door.brokers[turn++ % Math.max(1, door.brokers.length)];
    // like a port without a listener
    if (broker === undefined) return void answer.destroy();
    const body = await buffer(incoming);
    const { trace } = door;
    const path = incoming.url ?? '/';
    recordSignIn(trace, path);
    const calls = recordMessages(trace, incoming, body);
    const headers = { ...incoming.headers };
    const token = headers.authorization;
    if (token !== undefined && isMcp(path)) {
      if (expired.has(token)) headers.authorization = 'Bearer expired';
      else lastToken = token;
    }
    const outgoing = request({ host: '127.0.0.1', port: broker, method: incoming.method, path, headers, agent });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    outgoing.on('response', (response) => {
      if (path.startsWith('/oauth/token') && refresh.test(body.toString()) && response.statusCode === 200)
        trace.refreshes += 1;
      if (isListed(body, response.statusCode)) trace.lists += 1;
      answer.writeHead(response.statusCode ?? 502, response.headers);
      if (calls.length > 0) response.on('data', (chunk: Buffer) => countNotices(calls, chunk));
      response.on('error', () => answer.destroy());
      response.pipe(answer);
    });
    outgoing.end(body);
  }

  const door: Door = {
    port,
    trace: new Trace(),
    brokers: [],
    expireToken() {
      if (lastToken !== undefined) expired.add(lastToken);
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await close();
    },
  };
  return door;
}

const isListed = (body: Buffer, status: number | undefined) => status === 200 && body.includes('"tools/list"');
const isMcp = (path: string) => /^\/(?:mcp|s\/)/.test(path);

function recordSignIn(trace: Trace, path: string): void {
  if (path.startsWith('/oauth/register')) trace.signIn = 'registration';
  if (!path.startsWith('/oauth/authorize')) return;
  const clientId = new URL(path, 'http://door').searchParams.get('client_id');
  if (clientId?.startsWith('https:')) trace.signIn = 'metadata document';
}

function recordMessages(trace: Trace, { method, url = '', headers }: IncomingMessage, body: Buffer): SeenCall[] {
  if (method !== 'POST' || !isMcp(url)) return [];
  trace.userAgent = headers['user-agent'] ?? trace.userAgent;
  try {
    const message: unknown = JSON.parse(body.toString());
    return (Array.isArray(message) ? message : [message]).flatMap((one) => trace.record(one) ?? []);
  } catch {
    return [];
  }
}

/** Counts progress notices. The broker writes each notice in one piece. */
function countNotices(calls: readonly SeenCall[], chunk: Buffer): void {
  const count = chunk.toString().split('"notifications/progress"').length - 1;
  for (const call of calls) call.notices += count;
}
