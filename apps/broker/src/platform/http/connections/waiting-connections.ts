import { closeSync, openSync, readSync } from 'node:fs';

/** Room for hundreds of listeners, which come first in these files with 150 bytes each. */
const readBytes = 64 * 1024;
const listening = '0A';

/**
 * Counts connections that the kernel has accepted on a port and its listener has not taken yet: the listener's receive queue
 * in /proc/net/tcp (proc(5)). Returns undefined if the system does not tell.
 */
export function waitingConnections(port: number): number | undefined {
  const counts = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => countIn(file, port));
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}

function countIn(file: string, port: number): number[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return beginningOf(file)
    .split('\n')
    .flatMap((line) => {
      const [, address, , state, queues] = line.trim().split(/\s+/, 5);
      if (state !== listening || !address?.endsWith(suffix)) return [];
      return [Number.parseInt(queues?.split(':')[1] ?? '', 16)];
    });
}

function beginningOf(file: string): string {
  let descriptor;
  try {
    descriptor = openSync(file, 'r');
    const buffer = Buffer.allocUnsafe(readBytes);
    return buffer.toString('latin1', 0, readSync(descriptor, buffer));
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
