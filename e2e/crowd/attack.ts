// Attacks one broker past its proxy, in a process of its own: pipelines, connections that stay idle, and a personal folder that
// is filled. Says what it was answered when it is told to stop.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { modernRequest } from '../../apps/broker/src/testing/people/modern-request.ts';
import type { AttackStart, Attacked } from './messages.ts';

const { port, host, token, pipelines, idleConnections }: AttackStart = JSON.parse(process.argv[2] ?? '{}');
const over = new AbortController();
const open = new Set<Socket>();
const idle = new Set<Socket>();
const answered: Attacked['answered'] = {};

const note = (what: string) => (answered[what] = (answered[what] ?? 0) + 1);

function connection(group = open): Socket {
  const socket = connect(port, '127.0.0.1');
  group.add(socket);
  socket.on('error', () => {}).on('close', () => group.delete(socket));
  return socket;
}

const rest = (ms: number) => pause(ms, undefined, { signal: over.signal }).catch(() => {});

async function repeatedly(everyMs: number, act: () => Promise<unknown>): Promise<void> {
  while (!over.signal.aborted) {
    await act().catch((error: unknown) => {
      if (!over.signal.aborted) note(String(error).slice(0, 200));
    });
    await rest(everyMs);
  }
}

/** 1,000 requests in one write, whose answers are read. */
async function pipeline(): Promise<void> {
  const socket = connection();
  socket.write(`GET /mcp/tools HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(1_000));
  socket.resume();
  await rest(1_000);
  note(socket.destroyed ? 'pipelines ended' : 'pipelines served');
  socket.destroy();
}

/** Opens the idle connections that are missing, since the broker closes them after a while. */
async function holdIdle(): Promise<void> {
  const sockets = Array.from({ length: Math.min(100, idleConnections - idle.size) }, () => connection(idle));
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  if (idle.size === idleConnections) note('idle connections held');
}

/** Writes a further file of 1 MB into the attacker's personal folder. */
async function fill(): Promise<void> {
  const listed = await call('files__list_allowed_directories', {});
  const [folder] = /\/\S+/.exec(listed) ?? [];
  if (folder === undefined) return void note(`no folder: ${listed.slice(0, 200)}`);
  const path = `${folder}/${Math.random()}.txt`;
  const written = await call('files__write_file', { path, content: 'x'.repeat(1_000_000) });
  note(written.startsWith('Successfully') ? 'files written' : `files refused: ${written.slice(0, 100)}`);
}

async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const { method, headers, body } = modernRequest(token, 'tools/call', { name, arguments: args });
  const asked = request({ port, host: '127.0.0.1', path: '/mcp', method, headers: { ...headers, host } });
  asked.end(body);
  const [response] = await once(asked, 'response', { signal: over.signal });
  const answer = JSON.parse((await text(response)).replace(/^[^{]*data: /s, ''));
  return String(answer.result?.content?.[0]?.text ?? JSON.stringify(answer.error));
}

const running = Promise.all([
  ...Array.from({ length: pipelines }, () => repeatedly(100, pipeline)),
  repeatedly(100, holdIdle),
  repeatedly(50, fill),
]);

process.on('message', () => {
  over.abort();
  void running.finally(() => {
    process.send?.({ answered } satisfies Attacked);
    for (const socket of [...open, ...idle]) socket.destroy();
  });
});
process.once('disconnect', () => process.exit(0));
process.send?.({ begun: true });
