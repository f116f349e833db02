// Everything that visitors and one person with an ordinary account can do to the broker's sockets, memory and database, again
// and again, in a process of its own. It says what it was answered when it is told to stop.
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { modernRequest } from '../../apps/broker/src/testing/people/modern-request.ts';
import type { AttackStart, Attacked } from './messages.ts';

const start: AttackStart = JSON.parse(process.argv[2] ?? '{}');
const { publicUrl, token } = start;
const { host, port } = new URL(publicUrl);
const over = new AbortController();
const open = new Set<Socket>();
const answered: Attacked['answered'] = {};

const note = (what: string) => (answered[what] = (answered[what] ?? 0) + 1);

function connection(): Socket {
  const socket = connect(Number(port), '127.0.0.1');
  open.add(socket);
  socket.on('error', () => {}).on('close', () => open.delete(socket));
  return socket;
}

/** Until then, or until the attack is over. */
const rest = (ms: number) => pause(ms, undefined, { signal: over.signal }).catch(() => {});

async function repeatedly(everyMs: number, act: () => Promise<unknown>): Promise<void> {
  while (!over.signal.aborted) {
    await act().catch(() => {});
    await rest(everyMs);
  }
}

/** 1,000 requests in one write, whose answers are read. */
async function pipeline(): Promise<void> {
  const socket = connection();
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(1_000));
  socket.resume();
  await rest(1_000);
  note(socket.destroyed ? 'pipelines ended' : 'pipelines served');
  socket.destroy();
}

/** 5,000 requests whose answers nobody reads. */
async function unreadPipeline(): Promise<void> {
  const socket = connection();
  socket.pause();
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(5_000));
  await rest(3_000);
  socket.destroy();
}

/** A hundred sockets that ask for 6 MB each, and read nothing. */
async function unreadAnswers(): Promise<void> {
  const params = { name: 'shop__say', arguments: { end: 'large' } };
  const { headers, body } = modernRequest(token, 'tools/call', params);
  const lines = Object.entries({ host, ...headers, 'content-length': String(body.length) });
  const sockets = Array.from({ length: 100 }, connection);
  for (const socket of sockets) {
    socket.pause();
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`);
  }
  await rest(5_000);
  for (const socket of sockets) socket.destroy();
}

/** Twenty files and exports at once, of an attacker who has signed in. */
async function files(): Promise<void> {
  const { userId, accessToken } = start;
  const headers = { authorization: `Bearer ${accessToken}` };
  const paths = [`/api/users/${userId}/calls.csv`, `/api/users/${userId}/export`];
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const answer = await fetch(publicUrl + paths[index % paths.length], { headers, signal: over.signal });
      note(`files ${answer.status}`);
      await answer.arrayBuffer();
    }),
  );
}

/** A visitor who asks for everything, and begins to sign in again and again. */
async function visit(): Promise<void> {
  for (const path of [
    '/mcp/capabilities',
    '/mcp/tools',
    '/api/catalogue/servers?q=a',
    '/oauth/authorize?client_id=x',
  ]) {
    const answer = await fetch(publicUrl + path, { signal: over.signal, redirect: 'manual' });
    await answer.arrayBuffer();
    note(`visits ${answer.status}`);
  }
}

const running = Promise.all([
  repeatedly(500, pipeline),
  ...Array.from({ length: 4 }, () => repeatedly(500, unreadPipeline)),
  repeatedly(100, unreadAnswers),
  repeatedly(500, files),
  ...Array.from({ length: 5 }, () => repeatedly(20, visit)),
]);
running.catch((error: unknown) => console.error(error));

process.on('message', () => {
  over.abort();
  for (const socket of open) socket.destroy();
  void running.finally(() => process.send?.({ answered } satisfies Attacked));
});
process.once('disconnect', () => process.exit(0));
process.send?.({ begun: true });
