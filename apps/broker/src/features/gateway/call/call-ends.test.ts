import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Era } from '#adapters/mcp/upstream.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { openSession } from '#testing/people/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows, type UsageRow } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';

// Every way a call can end, over both dispatchers, with both eras on both sides, and for prompts and resources. Each
// must have the same outcome and reason everywhere.

/** `fast`: the fast path on both sides. `mixed`: the SDK on the client's side. `sdk`: the SDK on both sides. */
const tools = ['fast', 'mixed', 'sdk'] as const;
const kinds = [...tools, 'prompt', 'resource'] as const;
type Kind = (typeof kinds)[number];
type Way = { client: Era; upstream: Era; kind: Kind };

const eras: readonly Era[] = ['modern', 'legacy'];
const ways: readonly Way[] = eras.flatMap((client) =>
  eras.flatMap((upstream) => kinds.map((kind) => ({ client, upstream, kind }))),
);
/**
 * Combinations for what is decided before a server is called: each kind with each client, each kind with each server.
 */
const pairs = ways.filter(({ client, upstream, kind }) => (client === upstream) === (kinds.indexOf(kind) % 2 === 0));
const methods = { prompt: 'prompts/get', resource: 'resources/read' } as const;

const callsPerMinute = 10;
const servers = new Map<Era, EndingServer>();
/** Servers whose tools change. */
const changing = new Map<Era, EndingServer>();
let app: TestApp;
/** Time at which the broker's clock is stopped while it is set: no limit refills, and open circuits stay open. */
let stoppedAtMs: number | undefined;

beforeAll(async () => {
  for (const started of [servers, changing]) for (const era of eras) started.set(era, await startEndingServer(era));
  app = await startTestApp({
    allowAddresses: [...servers.values(), ...changing.values()].map(({ address }) => address),
    env: {
      ...withoutHealthChecks,
      MCP_CALLS_PER_MINUTE_TOKEN: String(callsPerMinute),
      MCP_CALLS_PER_MINUTE_USER: '100000',
    },
    clock: { now: () => stoppedAtMs ?? Date.now() },
  });
  await Promise.all(
    [...servers].flatMap(([era, { url }]) => {
      const deploy = (name: string, rest: object = {}) =>
        deployManifest(app, {
          id: `${name}-${era}`,
          connection: { type: 'http', url },
          deadlines: { connectMs: 30_000, callMs: 300_000 },
          ...rest,
        });
      return [
        deploy('ends'),
        // for calls that hang: no other call has to be answered within its deadline
        deploy('hasty', { deadlines: { connectMs: 30_000, callMs: 400 } }),
        deploy('narrow', { maxInFlight: 1 }),
        deploy('broken'),
        deploy('moody'),
        deploy('paid', { billing: { tier: 'T2' } }),
        deploy('reviewed', { connection: { type: 'http', url: changing.get(era)?.url } }),
      ];
    }),
  );
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([...servers.values(), ...changing.values()].map((server) => server.close()));
});

// failures of another test open no circuit here
beforeEach(() => {
  for (const era of eras) for (const name of ['ends', 'hasty']) app.upstreams.pool.retryNow(`${name}-${era}`);
});
afterEach(() => {
  stoppedAtMs = undefined;
  vi.restoreAllMocks();
});

type Sent = { answer: Promise<Response>; controller: AbortController };
type Row = Pick<UsageRow, 'kind' | 'outcome' | 'reason' | 'serverId' | 'credits'>;

/** Connects a client with its own user and token, so that it shares no usage rows and no rate limit. */
async function connect({ client, upstream, kind }: Way) {
  const name = randomUUID();
  const { token } = await app.identity.createPersonalToken({ email: `${name}@souk.test`, name });
  const type = kind === 'fast' ? 'application/json' : 'application/json; charset=utf-8';
  const own = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream', 'content-type': type };
  const opened = client === 'legacy' ? await openSession(`${app.publicUrl}/mcp`, token) : undefined;
  const session = opened?.['mcp-session-id'];

  function send(server: string, end: string): Sent {
    const id = `${server}-${upstream}`;
    const slug = app.catalogue.snapshot().byId.get(id)?.slug ?? id;
    const method = kind === 'prompt' || kind === 'resource' ? methods[kind] : 'tools/call';
    const params =
      kind === 'resource'
        ? { uri: end === 'unknown' ? 'nowhere://x' : `souk://${slug}/end://${end}` }
        : {
            name: `${slug}__${end === 'unknown' ? 'nothing' : kind === 'sdk' ? 'mirrored' : 'say'}`,
            arguments: { end },
          };
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const controller = new AbortController();
    const answer = fetch(`${app.publicUrl}/mcp`, {
      method: 'POST',
      signal: controller.signal,
      headers: {
        ...own,
        ...(session === undefined
          ? {
              'mcp-protocol-version': '2026-07-28',
              'mcp-method': method,
              'mcp-name': 'uri' in params ? params.uri : params.name,
            }
          : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method,
        params: { ...params, ...(session === undefined && { _meta: meta }) },
      }),
    });
    return { answer, controller };
  }

  /** Cancels a call: clients up to 2025-11-25 with a notice, later ones by closing the stream. */
  async function cancel({ answer, controller }: Sent): Promise<void> {
    if (session === undefined) {
      controller.abort();
      await answer.then((response) => response.text()).catch(() => undefined);
      return;
    }
    const params = { requestId: 7, reason: 'changed my mind' };
    await fetch(`${app.publicUrl}/mcp`, {
      method: 'POST',
      headers: { ...own, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }),
    });
    await (await answer).text();
  }

  const { rows: users } = await app.db.query<{ id: string }>('select id from users where email = $1', [
    `${name}@souk.test`,
  ]);
  const written = () => usageRows(app, users[0]?.id ?? randomUUID());
  const rows = async (): Promise<Row[]> =>
    (await written()).map(({ kind: recorded, outcome, reason, serverId, credits }) => ({
      kind: recorded,
      outcome,
      reason,
      serverId,
      credits,
    }));
  const rounds = async () => (await written()).map((called) => called.rounds);

  /** Sends a call and reads its response to the end. */
  const call = async (server: string, end: string) => (await send(server, end).answer).text();
  return { send, call, cancel, rows, rounds };
}

/** The expected usage row of a call to `server`. */
function row({ kind, upstream }: Way, server: string | null, outcome: string, reason: string | null): Row {
  const recorded = kind === 'prompt' || kind === 'resource' ? kind : 'tool';
  const serverId = server === null ? null : `${server}-${upstream}`;
  return { kind: recorded, outcome, reason, serverId, credits: 0 };
}

const title = '$kind of a $upstream server by a $client client';
const serverOf = ({ upstream }: Way) => {
  const server = servers.get(upstream);
  if (!server) throw new Error('no server of this era');
  return server;
};

test.each(ways)(`how the server responds: ${title}`, async (way) => {
  const client = await connect(way);
  const isTool = way.kind !== 'prompt' && way.kind !== 'resource';
  const ends: [string, string, string | null][] = [
    ['ok', 'ok', null],
    ['protocol_error', 'error', 'protocol_error'],
    ['hang', 'failed', 'timeout'],
    ...(isTool ? [['tool_error', 'error', 'tool_error'] as [string, string, string]] : []),
    ...(way.upstream === 'modern' ? [['input_required', 'refused', 'input_required'] as [string, string, string]] : []),
  ];
  const serverFor = (end: string) => (end === 'hang' ? 'hasty' : 'ends');
  for (const [end] of ends) await client.call(serverFor(end), end);
  // for a session's client, the SDK runs the second round itself, which ends the call
  if (way.upstream === 'modern' && way.client === 'legacy') ends.splice(-1, 1, ['second round', 'ok', null]);
  expect(await client.rows()).toEqual(ends.map(([end, outcome, reason]) => row(way, serverFor(end), outcome, reason)));
  // all rounds of a call share its row
  expect(await client.rounds()).toEqual(ends.map(([end]) => (end === 'second round' ? 2 : 1)));
});

test.each(pairs)(
  `an unknown name, a server that is not included, and too many calls in a minute: ${title}`,
  async (way) => {
    const client = await connect(way);
    stoppedAtMs = Date.now();
    const calls = [
      ['ends', 'unknown'],
      ['paid', 'ok'],
      ...Array.from({ length: callsPerMinute - 1 }, () => ['ends', 'ok']),
    ];
    for (const [server = '', end = ''] of calls) {
      await client.call(server, end);
      // so that the rows have an order
      stoppedAtMs += 1;
    }
    expect(await client.rows()).toEqual([
      row(way, null, 'refused', 'unknown'),
      row(way, 'paid', 'refused', 'not_included'),
      ...Array.from({ length: callsPerMinute - 2 }, () => row(way, 'ends', 'ok', null)),
      row(way, 'ends', 'refused', 'rate_limited'),
    ]);
  },
);

test.each(ways)(`canceled after dispatch: ${title}`, async (way) => {
  const client = await connect(way);
  const before = serverOf(way).hanging;
  const sent = client.send('ends', 'hang');
  await waitUntil('the server to receive the call', () => serverOf(way).hanging > before);
  await client.cancel(sent);
  await waitUntil('the row', async () => (await client.rows()).length > 0);
  expect(await client.rows()).toEqual([row(way, 'ends', 'cancelled', 'cancelled')]);
});

test('a server without a free slot: busy, or canceled before dispatch', async () => {
  for (const upstream of eras) {
    const way: Way = { client: 'modern', upstream, kind: 'fast' };
    const client = await connect(way);
    const before = serverOf(way).hanging;
    const sent = client.send('narrow', 'hang');
    onTestFinished(() => client.cancel(sent));
    await waitUntil('the slot is in use', () => serverOf(way).hanging > before);
  }
  const clients = await Promise.all(
    pairs.map(async (way) => ({ way, busy: await connect(way), gone: await connect(way) })),
  );
  await Promise.all(clients.map(({ busy }) => busy.call('narrow', 'ok')));
  const admit = vi.spyOn(app.upstreams.pool, 'admit');
  stoppedAtMs = Date.now();
  for (const { way, busy, gone } of clients) {
    const isBusy = row(way, 'narrow', 'refused', 'busy');
    expect(await busy.rows(), JSON.stringify(way)).toEqual([isBusy]);
    let rows: Row[] = [];
    // repeated if the machine is so slow that a call is refused (2 s) before its client can cancel it
    while (rows.length < callsPerMinute && rows.at(-1)?.outcome !== 'cancelled') {
      stoppedAtMs += 1;
      admit.mockClear();
      const sent = gone.send('narrow', 'ok');
      await waitUntil('the call to wait', () => admit.mock.calls.length === 1);
      await gone.cancel(sent);
      const tries = rows.length + 1;
      await waitUntil('the row', async () => (rows = await gone.rows()).length === tries);
    }
    expect(rows.pop(), JSON.stringify(way)).toEqual(row(way, 'narrow', 'cancelled', 'not_dispatched'));
    for (const refused of rows) expect(refused).toEqual(isBusy);
  }
});

test('a server whose circuit is open', async () => {
  stoppedAtMs = Date.now();
  for (const upstream of eras) {
    const clients = [];
    for (let count = 0; count < 2; count++) clients.push(await connect({ client: 'modern', upstream, kind: 'fast' }));
    for (let count = 0; count < 3; count++) for (const client of clients) await client.call('broken', 'reset');
    expect(app.upstreams.pool.isCircuitOpen(`broken-${upstream}`)).toBe(true);
  }
  for (const way of pairs) {
    const client = await connect(way);
    await client.call('broken', 'ok');
    expect(await client.rows(), JSON.stringify(way)).toEqual([row(way, 'broken', 'refused', 'upstream_unavailable')]);
  }
});

test("a server that failed five of one user's calls refuses that user, and serves another", async () => {
  stoppedAtMs = Date.now();
  for (const way of pairs) {
    const [ann, bob] = [await connect(way), await connect(way)];
    for (let count = 0; count < 5; count++) {
      await ann.call('moody', 'reset');
      // so that the rows have an order
      stoppedAtMs += 1;
    }
    await ann.call('moody', 'ok');
    await bob.call('moody', 'ok');
    const refused = row(way, 'moody', 'refused', 'upstream_unavailable');
    expect((await ann.rows()).at(-1), JSON.stringify(way)).toEqual(refused);
    expect(await bob.rows(), JSON.stringify(way)).toEqual([row(way, 'moody', 'ok', null)]);
  }
});

test('a tool under review', async () => {
  for (const upstream of eras) {
    changing.get(upstream)?.changeTool();
    app.upstreams.watch.listChanged(`reviewed-${upstream}`);
  }
  const underReview = (era: Era) => app.catalogue.snapshot().byId.get(`reviewed-${era}`)?.toolsUnderReview.length;
  await waitUntil('both tools are under review', () => eras.every((era) => underReview(era) === 2));
  for (const way of ways.filter(({ kind }) => kind !== 'prompt' && kind !== 'resource')) {
    const client = await connect(way);
    await client.call('reviewed', 'ok');
    expect(await client.rows(), JSON.stringify(way)).toEqual([row(way, 'reviewed', 'refused', 'tool_changed')]);
  }
});
