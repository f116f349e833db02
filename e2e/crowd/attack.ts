// Attacks one broker directly, not through its proxy, in a separate process: pipelines, idle connections, and a
// personal folder that is filled. Reports the responses when it is told to stop.
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { modernRequest } from '../../apps/broker/src/testing/people/modern-request.ts';
import { createAttack, type Attacked } from '../attackers/create-attack.ts';
import type { AttackStart } from './messages.ts';

const { port, host, token, pipelines, idleConnections }: AttackStart = JSON.parse(process.argv[2] ?? '{}');
const { over, open, answered, note, connection, repeatedly, pipeline } = createAttack(port);
const idle = new Set<Socket>();

/** Replaces the idle connections that the broker has closed. */
async function holdIdle(): Promise<void> {
  const sockets = Array.from({ length: Math.min(100, idleConnections - idle.size) }, () => connection(idle));
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  if (idle.size === idleConnections) note('idle connections held');
}

/** Writes one more file of 1 MB into the attacker's personal folder. */
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
  ...Array.from({ length: pipelines }, () => repeatedly(100, () => pipeline(host, '/mcp/tools'))),
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
