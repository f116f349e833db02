import { once } from 'node:events';
import { createServer } from 'node:https';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bestMs } from '#testing/best-ms.ts';
import { testCertificate, testCertificateKey } from '#testing/client-example-tls.ts';
import { startFaultServer, type Fault, type FaultServer } from '#testing/fault-server.ts';
import { freePort } from '#testing/free-port.ts';
import { watchLongestTurn } from '#testing/longest-turn.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { failureOf, textOf, trackUpstreams, optionsFor, ways } from '../testing/open-for-test.ts';
import type { UpstreamTarget } from '../target.ts';

const { open, closeAll } = trackUpstreams();
let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer();
});
afterEach(closeAll);
afterAll(() => server.close());

const target = (fault: Fault, when?: 'always' | 'on-call'): UpstreamTarget => ({
  type: 'http',
  url: server.url(fault, when),
  headers: {},
  allowAddresses: [server.address],
});
const call = { name: 'call' };
/** Well below the deadlines of open-for-test.ts, and generous for a busy machine. */
const atOnceMs = 10_000;
const patienceMs = 10_000;

describe('connecting', () => {
  test('bad input 15: a refused connection is unreachable within 1 s', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const refused = async () => {
      const dead = { type: 'http', url: `http://${address}/mcp`, headers: {}, allowAddresses: [address] } as const;
      expect((await failureOf(open(dead))).kind).toBe('unreachable');
    };
    expect(await bestMs(1000, refused)).toBeLessThan(1000);
  });

  test('a server that speaks http where https was asked for is unreachable, in words', async () => {
    const url = server.url('none').replace('http:', 'https:');
    const failure = await failureOf(open({ type: 'http', url, headers: {}, allowAddresses: [server.address] }));
    expect(failure).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/^it does not speak TLS at this port \(\w+\)$/),
    });
  });

  test('a certificate that is not trusted is unreachable, and says how to trust it', async () => {
    const secure = createServer({ cert: testCertificate, key: testCertificateKey }).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    const bound = secure.address();
    const address = `127.0.0.1:${bound !== null && typeof bound === 'object' ? bound.port : 0}`;
    const url = `https://${address}/mcp`;
    const failure = await failureOf(open({ type: 'http', url, headers: {}, allowAddresses: [address] }));
    secure.close();
    expect(failure).toMatchObject({
      kind: 'unreachable',
      message:
        'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): NODE_EXTRA_CA_CERTS names a file of authorities to trust',
    });
  });

  test.each(['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost'])(
    'bad input 28: http://%s is refused and not contacted',
    async (host) => {
      const from = server.requests.length;
      const url = `http://${host}:${server.address.split(':')[1]}/on-call/none`;
      const failure = await failureOf(open({ type: 'http', url, headers: {}, allowAddresses: [] }));
      expect(failure.kind).toBe('refused_address');
      expect(server.requests.length).toBe(from);
    },
  );

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'not an address'])('%s is refused', async (url) => {
    const failure = await failureOf(open({ type: 'http', url, headers: {}, allowAddresses: [] }));
    expect(failure.kind).toBe('refused_address');
  });

  test('bad input 16: a server that never answers the handshake is a timeout at the deadline', async () => {
    const started = performance.now();
    const failure = await failureOf(open(target('hang', 'always'), { connectTimeoutMs: 400 }));
    expect(failure.kind).toBe('timeout');
    expect(performance.now() - started).toBeLessThan(atOnceMs);
    await waitUntil('its sockets are closed', () => server.openSockets() === 0);
  });

  test.each([
    ['bad input 17: a web page', 'html', 'bad_upstream'],
    ['bad input 17: invalid JSON', 'garbage', 'bad_upstream'],
    ['JSON that is not JSON-RPC', 'not-rpc', 'bad_upstream'],
    ['a redirect, which is not followed', 'redirect', 'bad_upstream'],
    ['HTTP 503', 'unavailable', 'unreachable'],
    ['HTTP 403', 'forbidden', 'bad_upstream'],
    ['bad input 18: 700 MiB', 'huge-json', 'result_too_large'],
    ['a torn connection', 'reset', 'closed'],
  ] as const)('%s instead of a handshake is refused', async (_, fault, kind) => {
    expect((await failureOf(open(target(fault, 'always'), { connectTimeoutMs: 20_000 }))).kind).toBe(kind);
  });

  test('HTTP 401 asks for a sign-in and keeps the challenge', async () => {
    const failure = await failureOf(open(target('unauthorized', 'always')));
    expect(failure).toMatchObject({
      kind: 'sign_in_required',
      wwwAuthenticate: 'Bearer resource_metadata="https://example.com/.well-known/x"',
    });
  });

  test('401 and 503 say nothing about the era: no initialize follows', async () => {
    const from = server.requests.length;
    await failureOf(open(target('unauthorized', 'always')));
    await failureOf(open(target('unavailable', 'always')));
    expect(server.requests.slice(from).map(({ method }) => method)).toEqual(['server/discover', 'server/discover']);
  });
});

describe.each(ways)('calling by %s', (way) => {
  const callOptions = optionsFor(way);
  test('bad input 16: a call that hangs times out at its deadline, and its socket is closed', async () => {
    const upstream = await open(target('hang'));
    const idle = server.openSockets();
    const started = performance.now();
    expect((await failureOf(upstream.callTool(call, callOptions({ timeoutMs: 300 })))).kind).toBe('timeout');
    expect(performance.now() - started).toBeLessThan(atOnceMs);
    await waitUntil('the hanging socket is closed', () => server.openSockets() <= idle + 1);
    await upstream.ping(patienceMs);
  });

  test.each([
    ['bad input 17: a web page', 'html', 'bad_upstream'],
    ['bad input 17: invalid JSON', 'garbage', 'bad_upstream'],
    ['JSON that is not JSON-RPC', 'not-rpc', 'bad_upstream'],
    ['JSON of 200,000 levels', 'deep-json', 'bad_upstream'],
    ['an event of 200,000 levels', 'deep-event', 'bad_upstream'],
    ['an answer with the id of another request', 'wrong-id', 'bad_upstream'],
    ['a stream that ends without the answer', 'cut-stream', 'closed'],
    ['a torn connection', 'reset', 'closed'],
    ['HTTP 401', 'unauthorized', 'sign_in_required'],
    ['HTTP 503', 'unavailable', 'unreachable'],
    ['HTTP 404 in a session', 'session-lost', 'session_lost'],
    ['a redirect to the metadata service', 'redirect', 'bad_upstream'],
    ['a compressed answer, which was not requested and is not decompressed', 'compressed', 'bad_upstream'],
    ['headers of 1 MiB', 'header-bomb', 'bad_upstream'],
  ] as const)('%s fails the call at once, and only that call', async (_, fault, kind) => {
    const upstream = await open(target(fault));
    const started = performance.now();
    expect((await failureOf(upstream.callTool(call, callOptions()))).kind).toBe(kind);
    expect(performance.now() - started).toBeLessThan(atOnceMs);
    await upstream.ping(patienceMs);
  });

  test.each(['huge-json', 'huge-event'] as const)(
    'bad input 18: 700 MiB (%s) is result_too_large at once, memory grows by less than 64 MiB, the socket is closed',
    async (fault) => {
      const upstream = await open(target(fault), { maxResultBytes: 8 * 1024 * 1024 });
      const before = process.memoryUsage().rss;
      let peak = before;
      const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
      const started = performance.now();
      const failure = await failureOf(upstream.callTool(call, callOptions()));
      clearInterval(sampler);
      expect(failure.kind).toBe('result_too_large');
      expect(performance.now() - started).toBeLessThan(atOnceMs);
      expect((peak - before) / 1024 / 1024).toBeLessThan(64);
      await upstream.ping(patienceMs);
      await waitUntil('the socket is closed', () => server.openSockets() <= 2);
    },
  );

  test.each(['tiny-json', 'tiny-event'] as const)(
    'an answer in chunks of one byte (%s) is read like any other: memory grows by less than 64 MiB',
    async (fault) => {
      const upstream = await open(target(fault));
      // for what is compiled and made once
      await upstream.callTool(call, callOptions());
      const before = process.memoryUsage().rss;
      let peak = before;
      const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
      const answered = await upstream.callTool(call, callOptions());
      clearInterval(sampler);
      expect(textOf(answered)).toHaveLength(1_000_000);
      expect((peak - before) / 1024 / 1024).toBeLessThan(64);
    },
  );

  test.each([
    ['endless-stream', 'timeout', 1000],
    ['endless-garbage', 'bad_upstream', 30_000],
  ] as const)(
    'an %s ends as %s at the deadline or before, and does not block the event loop',
    async (fault, kind, timeoutMs) => {
      const upstream = await open(target(fault));
      const longestTurnMs = watchLongestTurn();
      const failure = await failureOf(upstream.callTool(call, callOptions({ timeoutMs })));
      expect(longestTurnMs()).toBeLessThan(250);
      expect(failure.kind).toBe(kind);
      await waitUntil('the stream is closed', () => server.openSockets() <= 2);
    },
  );

  test.each(['slow-answer', 'slow-headers'] as const)(
    'a call to a server that sends one byte at a time (%s) times out at the deadline, and its socket is closed',
    async (fault) => {
      const upstream = await open(target(fault));
      const started = performance.now();
      expect((await failureOf(upstream.callTool(call, callOptions({ timeoutMs: 500 })))).kind).toBe('timeout');
      expect(performance.now() - started).toBeLessThan(atOnceMs);
      await waitUntil('the socket is closed', () => server.openSockets() <= 2);
    },
  );

  test('when a server answers twice, the first answer counts and the connection stays usable', async () => {
    const upstream = await open(target('twice'));
    expect(textOf(await upstream.callTool(call, callOptions()))).toBe('first');
    await upstream.ping(patienceMs);
  });

  test("a catastrophic pattern in a tool's output schema is never run", async () => {
    const upstream = await open(target('slow-pattern'));
    const [toolDefinition] = await upstream.listTools();
    if (!toolDefinition) throw new Error('no tool');
    const longestTurnMs = watchLongestTurn();
    await upstream.callTool(call, { ...callOptions(), toolDefinition });
    expect(longestTurnMs()).toBeLessThan(250);
  });

  test('a normal call works', async () => {
    const upstream = await open(target('none'));
    expect(textOf(await upstream.callTool(call, callOptions()))).toBe('fine');
  });
});

describe('listing', () => {
  test('bad input 31b: a 513th tool fails the discovery', async () => {
    const upstream = await open(target('many-tools'));
    expect((await failureOf(upstream.listTools())).kind).toBe('too_many_tools');
  });

  test('a list that never ends is refused', async () => {
    const upstream = await open(target('endless-pages'));
    expect((await failureOf(upstream.listTools())).kind).toBe('bad_upstream');
  });

  test('a page that takes long to check is checked in many turns of the event loop', async () => {
    const upstream = await open(target('dense-tools'), { maxResultBytes: 10 * 1024 * 1024, listTimeoutMs: 30_000 });
    const turns = watchTurns();
    expect(await upstream.listTools()).toHaveLength(128);
    const { wholeMs, longestMs } = turns.end();
    expect(longestMs).toBeLessThan(wholeMs / 3);
  });

  test('of a list over 4 MiB what is too much is left out by name, until the list is read again', async () => {
    const upstream = await open(target('fat-list'), { maxResultBytes: 10 * 1024 * 1024 });
    for (let count = 0; count < 2; count++) {
      const tools = await upstream.listTools();
      expect(tools).toHaveLength(69);
      expect(tools.at(-1)?.name).toBe('slim');
      const leftOut = upstream.leftOut();
      expect(leftOut).toHaveLength(12);
      const reason = 'the whole list has more than 4194304 bytes';
      expect(leftOut[0]).toEqual({ kind: 'tool', name: 'tool-68', reason });
    }
  });

  test('a definition over 64 KiB is left out, until the list is read again', async () => {
    const upstream = await open(target('fat-tool'));
    for (let count = 0; count < 2; count++) {
      expect(await upstream.listTools()).toEqual([]);
      expect(upstream.leftOut()).toMatchObject([{ kind: 'tool', name: 'fat' }]);
    }
  });
});

/** How long this thread computes from now on: in all, and in its longest turn of the event loop. */
function watchTurns(): { end(): { wholeMs: number; longestMs: number } } {
  const computedMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const startedMs = computedMs();
  let lastMs = startedMs;
  let longestMs = 0;
  const look = () => {
    const nowMs = computedMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  return {
    end() {
      look();
      clearImmediate(next);
      return { wholeMs: lastMs - startedMs, longestMs };
    },
  };
}
