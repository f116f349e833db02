import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#testing/network/free-port.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import {
  startWebSocketFixture,
  type WebSocketFault,
  type WebSocketFixture,
} from '#testing/servers/websocket-fixture.ts';
import { callOptions, failureOf, textOf, trackUpstreams } from '../testing/open-for-test.ts';
import type { UpstreamTarget } from '../target.ts';

const { open, closeAll } = trackUpstreams();
let fixture: WebSocketFixture;
beforeAll(async () => {
  fixture = await startWebSocketFixture();
});
afterEach(closeAll);
afterAll(() => fixture.close());

const target = (fault: WebSocketFault, headers: Record<string, string> = {}): UpstreamTarget => ({
  type: 'websocket',
  url: fixture.url(fault),
  headers,
  allowAddresses: [fixture.address],
});

describe('a WebSocket server', () => {
  test.each(['modern', 'legacy'] as const)('lists, calls and answers pings in the %s era', async (era) => {
    const upstream = await open(target('healthy'), era === 'legacy' ? { era } : {});
    expect(upstream.era).toBe(era);
    expect((await upstream.listTools()).map((tool) => tool.name)).toContain('echo');
    expect(textOf(await upstream.callTool({ name: 'echo', arguments: { text: 'hi' } }, callOptions()))).toBe('hi');
    expect(await upstream.readResource({ uri: 'test://a' }, callOptions())).toHaveProperty('contents');
    await upstream.ping(600_000);
  });

  test('gets the subprotocol mcp and the headers of the target at the handshake', async () => {
    await open(target('healthy', { 'x-souk-subject': 'abc' }));
    expect(fixture.lastHandshake).toMatchObject({ 'sec-websocket-protocol': 'mcp', 'x-souk-subject': 'abc' });
    expect(fixture.lastHandshake).not.toHaveProperty('authorization');
    expect(fixture.lastHandshake).not.toHaveProperty('sec-websocket-extensions');
  });

  test('that hangs up at the probe is opened again as legacy', async () => {
    expect(await open(target('legacy'))).toMatchObject({ era: 'legacy' });
  });

  test.each(['modern', 'legacy'] as const)('sends progress and receives cancellations in the %s era', async (era) => {
    const upstream = await open(target('healthy'), { era });
    const seen: number[] = [];
    const slow = { name: 'slow', arguments: { steps: 3, everyMs: 20 } };
    await upstream.callTool(slow, callOptions({ onProgress: ({ progress }) => seen.push(progress) }));
    expect(seen).toEqual([1, 2, 3]);
    const before = fixture.seen.cancelled.length;
    const controller = new AbortController();
    const call = failureOf(upstream.callTool({ name: 'hang' }, callOptions({ signal: controller.signal })));
    await upstream.ping(600_000);
    controller.abort();
    expect((await call).kind).toBe('cancelled');
    await waitUntil('the upstream knows', () => fixture.seen.cancelled.length > before);
  });

  test('has no open socket after close, even with change listeners', async () => {
    const upstream = await open(target('healthy'), { onToolListChanged: () => {} });
    await upstream.close();
    await waitUntil('no socket is left', () => fixture.openSockets() === 0);
    expect(fixture.openSockets()).toBe(0);
  });
});

describe('a faulty WebSocket server', () => {
  test('bad input 15: a refused connection is unreachable within 1 s', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    await limitElapsed(1000, async () => {
      const dead = { type: 'websocket', url: `ws://${address}/`, headers: {}, allowAddresses: [address] } as const;
      expect((await failureOf(open(dead))).kind).toBe('unreachable');
    });
  });

  test('bad input 16: silence at the handshake is a timeout', async () => {
    expect((await failureOf(open(target('hang'), { connectTimeoutMs: 400 }))).kind).toBe('timeout');
  });

  test.each([
    ['HTTP 401', 'unauthorized', 'sign_in_required'],
    ['a redirect, which is not followed', 'redirect', 'bad_upstream'],
    ['another subprotocol', 'other-subprotocol', 'bad_upstream'],
  ] as const)('%s at the handshake is refused', async (_, fault, kind) => {
    expect((await failureOf(open(target(fault)))).kind).toBe(kind);
  });

  test.each([
    ['a binary frame', 'binary', 'bad_upstream'],
    ['bad input 17: a hundred frames that are not JSON-RPC', 'garbage', 'bad_upstream'],
    ['bad input 18: a frame above the limit', 'huge', 'result_too_large'],
    ['a torn connection', 'drops-calls', 'closed'],
  ] as const)('%s fails the open call immediately and ends the connection', async (_, fault, kind) => {
    let reason: string | undefined;
    const before = fixture.openSockets();
    const upstream = await open(target(fault), { onClosed: (why) => (reason = why?.message) });
    // not at the deadline of the call, which is much later
    const far = { timeoutMs: 600_000, totalTimeoutMs: 600_000 };
    const failure = await failureOf(upstream.callTool({ name: 'hang' }, callOptions(far)));
    expect(failure.kind).toBe(kind);
    expect(reason).toBe(failure.message);
    await waitUntil('its socket is closed', () => fixture.openSockets() <= before);
  });

  test('a server that ignores the closing handshake is closed anyway', async () => {
    // after 2 s: the library itself waits half a minute
    await limitElapsed(20_000, async () => {
      const upstream = await open(target('ignores-close'), { era: 'legacy' });
      await upstream.close();
      expect((await failureOf(upstream.listTools())).kind).toBe('closed');
    });
  });

  test.each([
    'ws://127.0.0.1:1/',
    'ws://2130706433:1/',
    'ws://[::ffff:127.0.0.1]:1/',
    'ws://localhost:1/',
    'ws://0x7f.1:1/',
  ])('bad input 28: %s is refused', async (url) => {
    const failure = await failureOf(open({ type: 'websocket', url, headers: {}, allowAddresses: [] }));
    expect(failure.kind).toBe('refused_address');
  });
});
