import { closeSync, openSync, readSync } from 'node:fs';

/** Listeners come first in these files, of 150 bytes each: this is room for hundreds. */
const readBytes = 64 * 1024;
const listening = '0A';

/**
 * Connections that the kernel has accepted on a port and that its listener has not taken yet, by /proc/net/tcp (proc(5)):
 * of a listener, the receive queue is their number. undefined where the system does not tell.
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
