import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { listenLocally } from './listen-locally.ts';

type Document = Record<string, unknown> & { name: string; version: string };
type Published = { server: Document; status: string; message?: string; updatedAt: string };

/** Faults of a broken or hostile registry. */
export type RegistryFault =
  | 'hangs'
  | 'drips'
  | 'html'
  | 'huge'
  | 'bomb'
  | 'redirect'
  | 'deep'
  | 'same-cursor'
  | 'another'
  | 'not-json'
  | number;

/** A registry of MCP servers on this machine, with the generic registry API v0.1 (its reading part), page by page. */
export type McpRegistry = {
  url: string;
  /** host:port */
  address: string;
  /** Publishes a version, which becomes the latest of its server. */
  publish(server: Document, status?: { status: string; message?: string }, updatedAt?: string): void;
  /** Answers every request with this fault from now on; undefined: with what was published. */
  fail(fault: RegistryFault | undefined): void;
  /** Returns the requested paths with their queries. */
  asked(): string[];
  close(): Promise<void>;
};

export async function startMcpRegistry(): Promise<McpRegistry> {
  const published: Published[] = [];
  const asked: string[] = [];
  let fault: RegistryFault | undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://registry');
    asked.push(`${url.pathname}${url.search}`);
    if (fault !== undefined && answerFault(fault, response, published)) return;
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const [, name, version] = /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(url.pathname) ?? [];
    if (name !== undefined && version !== undefined) {
      const found = find(published, decodeURIComponent(name), decodeURIComponent(version));
      if (found) send(200, present(found, published));
      else send(404, { title: 'Not Found', status: 404 });
    } else if (url.pathname === '/v0.1/servers') send(200, list(published, url.searchParams));
    else send(404, { title: 'Not Found', status: 404 });
  });
  const { port, close } = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    address: `127.0.0.1:${port}`,
    publish: (document, status = { status: 'active' }, updatedAt = '2026-10-01T00:00:00Z') =>
      void published.push({ server: document, ...status, updatedAt }),
    fail: (next) => (fault = next),
    asked: () => asked.splice(0),
    close,
  };
}

const latestOf = (published: readonly Published[], name: string) =>
  published.findLast(({ server }) => server.name === name);

function find(published: readonly Published[], name: string, version: string): Published | undefined {
  if (version === 'latest') return latestOf(published, name);
  return published.find(({ server }) => server.name === name && server.version === version);
}

function present(one: Published, published: readonly Published[]): object {
  const { server, status, message, updatedAt } = one;
  const official = {
    status,
    ...(message !== undefined && { statusMessage: message }),
    publishedAt: updatedAt,
    updatedAt,
    isLatest: latestOf(published, server.name) === one,
  };
  return { server, _meta: { 'io.modelcontextprotocol.registry/official': official } };
}

function list(published: readonly Published[], query: URLSearchParams): object {
  const search = query.get('search') ?? '';
  const since = query.get('updated_since');
  const after = query.get('cursor') ?? '';
  const limit = Number(query.get('limit') ?? '30');
  const found = published
    .filter((one) => query.get('version') !== 'latest' || latestOf(published, one.server.name) === one)
    .filter(({ server }) => server.name.includes(search))
    .filter(({ updatedAt }) => since === null || Date.parse(updatedAt) >= Date.parse(since))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .filter((one) => keyOf(one) > after);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const metadata = { count: page.length, ...(last && found.length > limit && { nextCursor: keyOf(last) }) };
  return { servers: page.map((one) => present(one, published)), metadata };
}

const keyOf = ({ server }: Published) => `${server.name}:${server.version}`;

/** @returns false for an ordinary response */
function answerFault(fault: RegistryFault, response: ServerResponse, published: readonly Published[]): boolean {
  const json = { 'content-type': 'application/json' };
  switch (fault) {
    case 'hangs':
      return true;
    case 'drips':
      response.writeHead(200, json).write('{"servers":[');
      return true;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>Welcome</html>');
      return true;
    case 'huge': {
      response.writeHead(200, json);
      const more = () => {
        while (response.write(' '.repeat(65_536)));
        response.once('drain', more);
      };
      more();
      return true;
    }
    case 'bomb':
      response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(8 * 1024 * 1024, 32)));
      return true;
    case 'redirect':
      response.writeHead(308, { location: 'http://169.254.169.254/v0.1/servers' }).end();
      return true;
    case 'deep':
      response.writeHead(200, json).end(`{"servers":${'['.repeat(500)}${']'.repeat(500)}}`);
      return true;
    case 'not-json':
      response.writeHead(200, json).end('{"servers": [');
      return true;
    case 'same-cursor':
      response.writeHead(200, json).end(JSON.stringify({ servers: [], metadata: { nextCursor: 'again' } }));
      return true;
    case 'another': {
      const [other] = published;
      response.writeHead(200, json).end(JSON.stringify(other && present(other, published)));
      return true;
    }
    default:
      response.writeHead(fault, json).end('{}');
      return true;
  }
}
