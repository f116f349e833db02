import { connect, createServer, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { limitElapsed } from '#testing/figures/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { failureOf, trackUpstreams } from '../testing/open-for-test.ts';

/** Bad input 16 before the first byte: a connection that is never established. */
const { open, closeAll } = trackUpstreams();
let silent: Server;
let addresses: Record<'tcp' | 'tls', string>;
let deaf: Worker;
let fillers: Socket[];
/** Sockets of a server that accepts connections and stays silent, so no TLS handshake completes. */
const accepted = new Set<Socket>();

// Listens and then blocks forever: the kernel accepts two connections for it and leaves the others unanswered.
const deafListener = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });`;

beforeAll(async () => {
  silent = createServer((socket) => {
    accepted.add(socket.on('error', () => {}).on('close', () => accepted.delete(socket)));
    // a paused socket does not report its end
    socket.resume();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  deaf = new Worker(deafListener, { eval: true });
  const deafPort = await new Promise<number>((resolve) => deaf.once('message', resolve));
  fillers = Array.from({ length: 4 }, () => connect(deafPort, '127.0.0.1').on('error', () => {}));
  await waitUntil('its queue to be full', () => fillers.filter(({ readyState }) => readyState === 'open').length >= 2);
  const silentPort = address !== null && typeof address === 'object' ? address.port : 0;
  addresses = { tcp: `127.0.0.1:${deafPort}`, tls: `127.0.0.1:${silentPort}` };
});
afterEach(closeAll);
afterAll(async () => {
  for (const socket of [...fillers, ...accepted]) socket.destroy();
  await deaf.terminate();
  await new Promise((resolve) => silent.close(resolve));
});

test.each([
  ['http', 'TCP', 'http', 'tcp'],
  ['http', 'TLS', 'https', 'tls'],
  ['websocket', 'TCP', 'ws', 'tcp'],
  ['websocket', 'TLS', 'wss', 'tls'],
] as const)(
  'bad input 16: a server (%s) that never finishes the handshake of %s is abandoned at the deadline, and no socket stays open',
  async (type, _layer, scheme, which) => {
    const before = connections();
    const target = {
      type,
      url: `${scheme}://${addresses[which]}/mcp`,
      headers: {},
      allowAddresses: [addresses[which]],
    };
    await limitElapsed(
      8_000,
      async () => {
        const { kind } = await failureOf(open(target, { connectTimeoutMs: 500 }));
        expect(['timeout', 'unreachable']).toContain(kind);
      },
      { scales: 'none' },
    );
    await waitUntil('its sockets are closed', () => connections() <= before && accepted.size === 0);
  },
);

/** Sockets of this process that are open or connecting. */
function connections(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('TCPS') || name.startsWith('TCPC')).length;
}
