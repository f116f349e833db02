import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenLocally } from './listen-locally.ts';
import { startHttpFixture } from './mcp-fixture.ts';

/** An MCP server that requires a header, and repeats the sent value in its refusal. */
export type DemandingServer = {
  url: string;
  address: string;
  /** Accepts only these values from now on. */
  accept(...values: string[]): void;
  /** Values of all requests, in order of arrival; `undefined` for a request without the header. */
  sent: (string | undefined)[];
  /** Holds the next request of this method. Resolves when it has arrived, with a function that releases it. */
  hold(method: 'tools/call' | 'tools/list'): Promise<() => void>;
  close(): Promise<void>;
};

/**
 * @param how.host address to listen on; by default 127.0.0.1
 * @param how.accept values that are accepted at first
 */
export async function startDemandingServer(
  header: string,
  how: { host?: string | undefined; accept?: readonly string[] } = {},
): Promise<DemandingServer> {
  const { host = '127.0.0.1', accept = [] } = how;
  const fixture = await startHttpFixture('modern');
  let accepted = new Set(accept);
  const sent: (string | undefined)[] = [];
  let held: { method: string; there: PromiseWithResolvers<() => void>; goOn: PromiseWithResolvers<void> } | undefined;
  const front = createServer(async (incoming, outgoing) => {
    const given = incoming.headers[header];
    const value = typeof given === 'string' ? given : undefined;
    sent.push(value);
    if (value === undefined || !accepted.has(value)) {
      outgoing.writeHead(400, { 'content-type': 'application/json' });
      const error = { code: -32_000, message: `not with ${value}` };
      return outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    }
    if (held && incoming.headers['mcp-method'] === held.method) {
      const { there, goOn } = held;
      held = undefined;
      there.resolve(goOn.resolve);
      await goOn.promise;
    }
    return forward(incoming, outgoing, Number(new URL(fixture.url).port));
  });
  const { port, close } = await listenLocally(front, 0, host);
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    url: `http://${address}/mcp`,
    address,
    accept: (...values) => (accepted = new Set(values)),
    sent,
    hold(method) {
      held = { method, there: Promise.withResolvers(), goOn: Promise.withResolvers() };
      return held.there.promise;
    },
    async close() {
      await close();
      await fixture.close();
    },
  };
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url: path, headers } = incoming;
  const passed = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on('error', () => outgoing.destroy());
  outgoing.on('close', () => passed.destroy());
  incoming.pipe(passed);
}
