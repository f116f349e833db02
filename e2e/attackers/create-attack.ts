import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Number of each kind of response, sent to the suite when the attack is over. */
export type Attacked = { answered: Record<string, number> };

/** Creates the parts of an attack on the broker at a port of this machine. The attack lasts until `over` is aborted. */
export function createAttack(port: number) {
  const over = new AbortController();
  const open = new Set<Socket>();
  const answered: Attacked['answered'] = {};
  const note = (what: string) => (answered[what] = (answered[what] ?? 0) + 1);
  const rest = (ms: number) => pause(ms, undefined, { signal: over.signal }).catch(() => {});

  function connection(group = open): Socket {
    const socket = connect(port, '127.0.0.1');
    group.add(socket);
    socket.on('error', () => {}).on('close', () => group.delete(socket));
    return socket;
  }

  async function repeatedly(everyMs: number, act: () => Promise<unknown>): Promise<void> {
    while (!over.signal.aborted) {
      await act().catch((error: unknown) => {
        if (!over.signal.aborted) note(String(error).slice(0, 200));
      });
      await rest(everyMs);
    }
  }

  /** Sends 1,000 requests in one write, and reads the responses. */
  async function pipeline(host: string, path: string): Promise<void> {
    const socket = connection();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(1_000));
    socket.resume();
    await rest(1_000);
    note(socket.destroyed ? 'pipelines ended' : 'pipelines served');
    socket.destroy();
  }

  return { over, open, answered, note, rest, connection, repeatedly, pipeline };
}
