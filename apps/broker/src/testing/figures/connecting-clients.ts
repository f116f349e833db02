// Clients in a separate thread, each of whose requests uses its own connection, as through a proxy without keep-alive.
// They count how these end; a refused one would go to another broker.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const clients = 24;
const request = 'POST / HTTP/1.1\r\nHost: any\r\nContent-Length: 2\r\n\r\n{}';

/** Number of connections by how they ended: answered, refused, or with an error. */
export type ConnectionEnds = Record<string, number>;

export function startConnectingClients(port: number): { ends(): Promise<ConnectionEnds>; stop(): Promise<unknown> } {
  const worker = new Worker(new URL(import.meta.url), { workerData: port });
  return {
    async ends() {
      worker.postMessage('ends', []);
      const [ends] = await once(worker, 'message');
      return ends;
    },
    stop: () => worker.terminate(),
  };
}

async function runClients(port: number): Promise<void> {
  const ends: ConnectionEnds = {};
  parentPort?.on('message', () => parentPort?.postMessage(ends, []));
  const client = async () => {
    for (;;) {
      const how = await askOnce(port);
      ends[how] = (ends[how] ?? 0) + 1;
      await pause(how === 'ECONNREFUSED' ? 5 : 0);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

function askOnce(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  return new Promise<string>((resolve) => {
    socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    socket.on('connect', () => socket.write(request));
    socket.on('data', () => resolve('answered'));
    socket.on('close', () => resolve('ended without an answer'));
  }).finally(() => socket.destroy());
}

if (!isMainThread && typeof workerData === 'number') await runClients(workerData);
