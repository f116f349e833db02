import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Lowest port: below those for outgoing connections, since another test's connection could take such a port meanwhile.
 */
const lowest = 10_000;
const highest = 32_767;
/** Port that fetch refuses (Fetch Standard, "bad port"); the only one of this range. */
const refusedByFetch = 10_080;

/**
 * Reserves a port of this machine for programs that must know their port before they listen. It belongs to this process
 * until the process ends, also while nothing listens: a broker listens seconds after its start, and tests run
 * concurrently.
 */
export async function freePort(pick = () => randomInt(lowest, highest + 1)): Promise<number> {
  const port = pick();
  return port !== refusedByFetch && (await reserve(port)) && (await isFree(port)) ? port : freePort(pick);
}

/**
 * Reserves a port by binding the UDP port of the same number, which shows other processes that it is taken: nothing of
 * ours speaks UDP.
 */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  try {
    await once(socket, 'listening');
    return true;
  } catch (error) {
    socket.close();
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
