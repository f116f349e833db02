// Everything that visitors and one ordinary user can do to the broker's sockets, memory and database, repeated in a
// separate process. Reports the responses when it is told to stop.
import { modernRequest } from '../../apps/broker/src/testing/people/modern-request.ts';
import type { AttackStart } from './messages.ts';
import { createAttack, type Attacked } from './create-attack.ts';

const start: AttackStart = JSON.parse(process.argv[2] ?? '{}');
const { publicUrl, token } = start;
const { host, port } = new URL(publicUrl);
const { over, open, answered, note, rest, connection, repeatedly, pipeline } = createAttack(Number(port));

/** Sends 5,000 requests and reads no response. */
async function unreadPipeline(): Promise<void> {
  const socket = connection();
  socket.pause();
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(5_000));
  await rest(3_000);
  socket.destroy();
}

/** Requests 6 MB on each of a hundred sockets, and reads nothing. */
async function unreadAnswers(): Promise<void> {
  const params = { name: 'shop__say', arguments: { end: 'large' } };
  const { headers, body } = modernRequest(token, 'tools/call', params);
  const lines = Object.entries({ host, ...headers, 'content-length': String(body.length) });
  const sockets = Array.from({ length: 100 }, () => connection());
  for (const socket of sockets) {
    socket.pause();
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`);
  }
  await rest(5_000);
  for (const socket of sockets) socket.destroy();
}

/** Fetches twenty files and exports concurrently, as a user who has signed in. */
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

/** Reads all public lists and begins a sign-in, as a visitor. */
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
  repeatedly(500, () => pipeline(host, '/')),
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
