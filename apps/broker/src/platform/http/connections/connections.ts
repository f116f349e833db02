import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { boundPipelines, type Pipelines } from './bound-pipelines.ts';
import { waitingConnections } from './waiting-connections.ts';

/** How often connections are checked during a stop. */
const lookEveryMs = 50;
/** In a turn of the event loop this short, almost nothing was read, so no connection can have arrived unnoticed. */
const shortTurnMs = 0.1;
/** Time to wait for such a turn. */
const quietWithinMs = 500;
/** Time to wait on a busy machine for a moment in which no connection waits. */
const emptyWithinMs = 2_000;

/** The connections of a server, which end without losing a request (docs/decisions/0064). */
export type Connections = {
  /** Follows the connections of this server, and bounds the concurrent requests of each. */
  watch(server: Server): void;
  /** Accepts no new connections from now on. Existing ones end with the answer to their next request. */
  refuseNew(): Promise<void>;
  /**
   * Resolves when no connection can bring another request: each ends with its current answer, or has been idle for
   * `idleMs`, longer than its proxy keeps it. At the latest after `withinMs`.
   */
  settled(idleMs: number, withinMs: number): Promise<void>;
  /** Resolves when all requests have been answered, at the latest after `withinMs`. */
  answered(withinMs: number): Promise<void>;
};

export function createConnections(): Connections {
  /** When each connection was last active, and how many bytes it had read by then. */
  const sockets = new Map<Socket, { atMs: number; bytes: number }>();
  let watched: Server | undefined;
  let pipelines: Pipelines | undefined;
  let accepted = 0;

  const stateOf = (socket: Socket) => pipelines?.stateOf(socket) ?? 'idle';

  async function until(isSo: () => boolean, withinMs: number): Promise<void> {
    const deadlineMs = performance.now() + withinMs;
    while (!isSo() && performance.now() < deadlineMs) await pause(lookEveryMs);
  }

  /**
   * Waits for a moment in which closing the listener loses no connection. The kernel accepts connections before we do, and
   * resets those that we have not taken when the listener closes, although their requests may have been sent and a proxy sends
   * no POST twice. So the listener must close right after two short turns of the event loop in which none was waiting.
   * @returns whether there was such a moment; on a busy machine there is none
   */
  async function waitForQuiet(): Promise<boolean> {
    const deadlineMs = performance.now() + quietWithinMs;
    let quiet = 0;
    while (quiet < 2 && performance.now() < deadlineMs) {
      const before = accepted;
      const fromMs = performance.now();
      await nextTurn();
      quiet = accepted === before && performance.now() - fromMs < shortTurnMs ? quiet + 1 : 0;
    }
    return quiet === 2;
  }

  /**
   * Closes the listener on a busy machine, where connections arrive faster than we take them. The kernel's queue is reduced
   * to one, and the listener closes once that one was taken: a client that connects meanwhile retries, and is refused.
   */
  async function closeOnceNoneWaits(server: Server): Promise<void> {
    const port = portOf(server);
    const deadlineMs = performance.now() + emptyWithinMs;
    const look = () => {
      if (server.listening && waitingConnections(port) === 0) closeListener(server);
    };
    acceptOne(server);
    server.on('connection', look);
    while (server.listening && performance.now() < deadlineMs) {
      await nextTurn();
      look();
    }
    server.off('connection', look);
  }

  return {
    watch(server) {
      watched = server;
      pipelines = boundPipelines(server);
      server.on('connection', (socket) => {
        accepted++;
        sockets.set(socket, { atMs: performance.now(), bytes: 0 });
        socket.once('close', () => sockets.delete(socket));
      });
    },
    async refuseNew() {
      if (!watched?.listening) return;
      if (!(await waitForQuiet())) await closeOnceNoneWaits(watched);
      if (watched.listening) closeListener(watched);
      pipelines?.endAfterAnswers(sockets.keys());
    },
    async settled(idleMs, withinMs) {
      const isSettled = () => {
        const nowMs = performance.now();
        let isSo = true;
        for (const [socket, seen] of sockets) {
          const state = stateOf(socket);
          if (state === 'ending') continue;
          if (state === 'working' || socket.bytesRead !== seen.bytes) {
            seen.atMs = nowMs;
            seen.bytes = socket.bytesRead;
          }
          isSo &&= state === 'idle' && nowMs - seen.atMs >= idleMs;
        }
        return isSo;
      };
      await until(isSettled, withinMs);
    },
    answered: (withinMs) => until(() => ![...sockets.keys()].some((socket) => stateOf(socket) !== 'idle'), withinMs),
  };
}

/** Closes only the listener. HTTP's `close` would also end idle connections, on which a request may be on its way. */
function closeListener(server: Server): void {
  NetServer.prototype.close.call(server);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Calls listen(2) again with the smallest queue. Node has no public function for it; without it, more connections are taken first. */
function acceptOne(server: Server): void {
  const handle: unknown = Reflect.get(server, '_handle');
  const listen: unknown = handle instanceof Object && Reflect.get(handle, 'listen');
  if (typeof listen === 'function') Reflect.apply(listen, handle, [0]);
}
