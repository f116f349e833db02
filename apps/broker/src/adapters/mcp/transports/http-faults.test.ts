import { once } from 'node:events';
import { createServer } from 'node:https';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { testCertificate, testCertificateKey } from '#testing/servers/client-example-tls.ts';
import { startFaultServer, type Fault, type FaultServer } from '#testing/servers/fault-server.ts';
import { tinyChunks } from '#testing/servers/faults.ts';
import { freePort } from '#testing/network/free-port.ts';
import { areLimitsHeld, limitElapsed, limitMemory, limitTurn } from '#testing/figures/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { failureOf, textOf, trackUpstreams, optionsFor, ways } from '../testing/open-for-test.ts';
import type { UpstreamTarget } from '../target.ts';

const { open: openTracked, closeAll } = trackUpstreams();
/** A deadline for what must finish. Tests of what hangs use a short one. */
const patienceMs = 600_000;
const open: typeof openTracked = (to, options) =>
  openTracked(to, { connectTimeoutMs: patienceMs, listTimeoutMs: patienceMs, ...options });
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

describe('connecting', () => {
  test('bad input 15: a refused connection is unreachable within 1 s', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    await limitElapsed(1000, async () => {
      const dead = { type: 'http', url: `http://${address}/mcp`, headers: {}, allowAddresses: [address] } as const;
      expect((await failureOf(open(dead))).kind).toBe('unreachable');
    });
  });

  test('a server that speaks http at an https address is reported as unreachable, in words', async () => {
    const url = server.url('none').replace('http:', 'https:');
    const failure = await failureOf(open({ type: 'http', url, headers: {}, allowAddresses: [server.address] }));
    expect(failure).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/^it does not speak TLS at this port \(\w+\)$/),
    });
  });

  test('a certificate that is not trusted is unreachable, and says how to trust it', async () => {
    const secure = createServer({ cert: testCertificate, key: testCertificateKey }).listen(0, '127.0.0.1');
    onTestFinished(() => void secure.close());
    await once(secure, 'listening');
    const bound = secure.address();
    const address = `127.0.0.1:${bound !== null && typeof bound === 'object' ? bound.port : 0}`;
    const url = `https://${address}/mcp`;
    const failure = await failureOf(open({ type: 'http', url, headers: {}, allowAddresses: [address] }));
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
    const failure = await failureOf(open(target('hang', 'always'), { connectTimeoutMs: 400 }));
    expect(failure.kind).toBe('timeout');
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
    expect((await failureOf(open(target(fault, 'always')))).kind).toBe(kind);
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
  const callOptions: ReturnType<typeof optionsFor> = (options) =>
    optionsFor(way)({ timeoutMs: patienceMs, totalTimeoutMs: patienceMs, ...options });
  test('bad input 16: a call that hangs times out at its deadline, and its socket is closed', async () => {
    const upstream = await open(target('hang'));
    const idle = server.openSockets();
    expect((await failureOf(upstream.callTool(call, callOptions({ timeoutMs: 300 })))).kind).toBe('timeout');
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
  ] as const)('%s fails the call immediately, and only that call', async (_, fault, kind) => {
    const upstream = await open(target(fault));
    // caused by the fault itself: the deadlines are much later
    expect((await failureOf(upstream.callTool(call, callOptions()))).kind).toBe(kind);
    await upstream.ping(patienceMs);
  });

  test.each(['huge-json', 'huge-event'] as const)(
    'bad input 18: 700 MiB (%s) fails as result_too_large immediately, memory grows by less than 64 MiB, and the socket is closed',
    async (fault) => {
      const upstream = await open(target(fault), { maxResultBytes: 8 * 1024 * 1024 });
      await limitMemory(64, async () => {
        const failure = await failureOf(upstream.callTool(call, callOptions()));
        expect(failure.kind).toBe('result_too_large');
      });
      await upstream.ping(patienceMs);
      await waitUntil('the socket is closed', () => server.openSockets() <= 2);
    },
  );

  test.each(['tiny-json', 'tiny-event'] as const)(
    'an answer in chunks of one byte (%s) is read like any other, and memory grows by less than 64 MiB',
    async (fault) => {
      const upstream = await open(target(fault));
      // a first call, so that one-time compilation and setup do not count
      if (areLimitsHeld()) await upstream.callTool(call, callOptions());
      await limitMemory(64, async () => {
        const answered = await upstream.callTool(call, callOptions());
        expect(textOf(answered)).toHaveLength(tinyChunks());
      });
    },
  );

  test.each([
    ['endless-stream', 'timeout', 200],
    ['endless-garbage', 'bad_upstream', patienceMs],
  ] as const)(
    'an %s ends as %s at the deadline or before, and does not block the event loop',
    async (fault, kind, timeoutMs) => {
      const upstream = await open(target(fault));
      await limitTurn(250, async () => {
        const failure = await failureOf(upstream.callTool(call, callOptions({ timeoutMs })));
        expect(failure.kind).toBe(kind);
      });
      await waitUntil('the stream is closed', () => server.openSockets() <= 2);
    },
  );

  test.each(['slow-answer', 'slow-headers'] as const)(
    'a call to a server that sends one byte at a time (%s) times out at the deadline, and its socket is closed',
    async (fault) => {
      const upstream = await open(target(fault));
      expect((await failureOf(upstream.callTool(call, callOptions({ timeoutMs: 500 })))).kind).toBe('timeout');
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
    await limitTurn(250, async () => {
      const answer = await upstream.callTool(call, { ...callOptions(), toolDefinition });
      expect(answer.kind).toBe('complete');
    });
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

  test('a page that takes long to check is checked over many turns of the event loop', async () => {
    const upstream = await open(target('dense-tools'), { maxResultBytes: 10 * 1024 * 1024 });
    await limitTurn(250, async () => expect(await upstream.listTools()).toHaveLength(128));
  });

  test('tools beyond 4 MiB of a list are left out by name, until the list is read again', async () => {
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
