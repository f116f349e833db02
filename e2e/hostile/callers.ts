// Clients of the bad servers, in a separate process, so that their work does not slow down the measured clients.
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { modernRequest } from '../../apps/broker/src/testing/people/modern-request.ts';
import type { BadCall, ToCallers } from './messages.ts';

const longestCallMs = 2000;
/**
 * Time between the starts of two clients: independent users do not all start, and reach their deadlines, at the same
 * moment.
 */
const apartMs = 60;

let stop = new AbortController();
let running: Promise<unknown> = Promise.resolve();

process.on('message', (message: ToCallers) => {
  if (message === 'stop') {
    stop.abort();
    void running.then(() => process.send?.({ stopped: true }));
    return;
  }
  stop = new AbortController();
  running = Promise.all([
    ...message.calls.map((call, index) => callRepeatedly(message.url, call, index * apartMs)),
    ...message.unread.map((call) => neverRead(message.url, call)),
  ]);
});
process.once('disconnect', () => process.exit(0));

async function callRepeatedly(url: string, call: BadCall, afterMs: number): Promise<void> {
  await delay(afterMs, undefined, { signal: stop.signal }).catch(() => {});
  const request = callWithProgress(call);
  while (!stop.signal.aborted) {
    // progress extends a call's deadline to up to ten minutes, so the client ends such a call
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(longestCallMs)]);
    await fetch(url, { ...request, signal })
      .then(readToEnd)
      .catch(() => {});
    // without a pause these clients would become the load themselves when calls are refused immediately
    await delay(50);
  }
}

/** Reads a response without keeping it, to be faster than the floods. */
async function readToEnd({ body }: Response): Promise<void> {
  for await (const _chunk of body ?? []) continue;
}

async function neverRead(url: string, call: BadCall): Promise<void> {
  const { host, port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  const { headers, body } = callWithProgress(call);
  const lines = Object.entries({ host, ...headers, 'content-length': String(body.length) });
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`);
  await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
  socket.destroy();
}

function callWithProgress({ name, token }: BadCall) {
  return modernRequest(token, 'tools/call', { name, arguments: {}, _meta: { progressToken: 1 } });
}
