import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections: another test's connection could take such a port meanwhile. */
const lowest = 10_000;
const highest = 32_767;
/** Fetch refuses to ask it (Fetch Standard, "bad port"); the only one of this range. */
const refusedByFetch = 10_080;

/**
 * A port of this machine for what must know its port before it listens. It stays this process's until the process ends, also
 * while nothing listens: a broker listens seconds after it was started, and tests run beside each other.
 */
export async function freePort(pick = () => randomInt(lowest, highest + 1)): Promise<number> {
  const port = pick();
  return port !== refusedByFetch && (await reserve(port)) && (await isFree(port)) ? port : freePort(pick);
}

/** The UDP port of the same number says to other processes that a port is taken: nothing of ours speaks UDP. */
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
