import { describeAnswer, failed, fieldOf, passed, skipped, type Check, type Finding, type Patient } from './check.ts';
import type { DoctorAnswer, DoctorHttp } from './http.ts';

const accept = 'application/json, text/event-stream';
const needsToken = 'Needs a signed-in user: use the self-test on the page "Connections".';
const unchanged = 'Let the proxy pass requests to /mcp and their Mcp-… headers on unchanged.';

const sharedDatabase =
  'Give all brokers behind this address the same version, DATABASE_URL and MASTER_KEY, or send all requests to one of them.';

function modern(token: string, method: string, params: object = {}) {
  return {
    method: 'POST' as const,
    headers: {
      accept,
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 'connection-doctor', version: '1' },
        },
      },
    }),
  };
}

function legacy(token: string, body: object, more: Record<string, string> = {}) {
  return {
    method: 'POST' as const,
    headers: { accept, 'content-type': 'application/json', authorization: `Bearer ${token}`, ...more },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  };
}

const resultOf = (answer: DoctorAnswer) => (answer.status === 200 ? fieldOf(answer.json, 'result') : undefined);

/** The list of /mcp begins with helper tools. This client sees no tools that ask questions. */
const toolCount = ({ length }: readonly unknown[]) =>
  `${length === 1 ? '1 tool' : `${length} tools`} on the link of all services, helper tools included`;

/** Runs `check` with the user's token, if there is one. */
function withToken(check: (token: string, http: DoctorHttp) => Promise<Finding>) {
  return async ({ token }: Patient, http: DoctorHttp) =>
    token === undefined ? skipped(needsToken) : check(token, http);
}

const needs = ['authorization-header'];

/** Requests of one session, each over its own connection: behind a load balancer they reach different brokers. */
const sessionRequests = 6;

/** Takes the steps of clients up to 2025-11-25: initialize, list tools, end the session. */
export const legacyCheck: Check = {
  id: 'legacy-session',
  name: 'Clients up to 2025-11-25: initialize and list tools',
  needs,
  run: withToken(async (token, http) => {
    const opened = await http.send(
      '/mcp',
      legacy(token, {
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'connection-doctor', version: '1' },
        },
      }),
    );
    if (!resultOf(opened)) return failed(`initialize gave ${describeAnswer(opened)}.`, unchanged);
    const session = opened.header('mcp-session-id');
    if (session === undefined) return failed('The Mcp-Session-Id header is removed on its way.', unchanged);
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    await http.send('/mcp', legacy(token, { method: 'notifications/initialized' }, headers));
    const listed = await http.send('/mcp', legacy(token, { id: 2, method: 'tools/list' }, headers));
    let lost = 0;
    for (let id = 3; id < 3 + sessionRequests; id++) {
      const { status } = await http.send('/mcp', legacy(token, { id, method: 'ping' }, headers));
      if (status === 404) lost++;
    }
    await http.send('/mcp', { method: 'DELETE', headers: { authorization: `Bearer ${token}`, ...headers } });
    if (lost > 0 || listed.status === 404) {
      const detail =
        'Some requests of an open session were answered "Session not found": several brokers answer at this address, and they do not share their sessions.';
      return failed(detail, sharedDatabase);
    }
    const tools = fieldOf(resultOf(listed), 'tools');
    return Array.isArray(tools)
      ? passed(`A client can open a session and sees ${toolCount(tools)}.`)
      : failed(`tools/list in its session gave ${describeAnswer(listed)}.`, unchanged);
  }),
};

export const modernCheck: Check = {
  id: 'modern-requests',
  name: 'Clients of 2026-07-28: discover and list tools',
  needs,
  run: withToken(async (token, http) => {
    for (const method of ['server/discover', 'tools/list']) {
      const answer = await http.send('/mcp', modern(token, method));
      const result = resultOf(answer);
      if (!result) return failed(`${method} gave ${describeAnswer(answer)}.`, unchanged);
      const tools = fieldOf(result, 'tools');
      if (Array.isArray(tools)) return passed(`A client can discover the server and sees ${toolCount(tools)}.`);
    }
    return failed('tools/list gave no list.', unchanged);
  }),
};

/** A proxy that buffers keeps a stream's first event until the stream ends: then nothing seems to happen. */
export const streamCheck: Check = {
  id: 'streams',
  name: 'Event streams are not delayed',
  needs: ['modern-requests'],
  run: withToken(async (token, http) => {
    const wanted = { notifications: { toolsListChanged: true } };
    const first = await http.firstPiece('/mcp', modern(token, 'subscriptions/listen', wanted));
    if (first?.status === 200) return passed('The first event of a stream arrives at once.');
    if (first) return failed(`subscriptions/listen gave ${describeAnswer(first)}.`, unchanged);
    return failed(
      'A stream was opened, and its first event did not come within 3 s: something on the way delays it.',
      'Switch buffering and compression off for /mcp and /s/ at the proxy (nginx: proxy_buffering off).',
    );
  }),
};
