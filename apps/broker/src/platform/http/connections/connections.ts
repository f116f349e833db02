import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { boundPipelines, type Pipelines } from './bound-pipelines.ts';
import { waitingConnections } from './waiting-connections.ts';

/** How often it is looked at what connections do, at a stop alone. */
const lookEveryMs = 50;
/** A turn of the event loop this short has read next to nothing, so that nobody can have connected in it unseen. */
const shortTurnMs = 0.1;
/** How long such a moment is waited for, and on a busy machine one in which no connection waits. */
const quietWithinMs = 500;
const emptyWithinMs = 2_000;

/** The connections of a server, and how they end without a request being lost (docs/decisions/0064). */
export type Connections = {
  /** Follows the connections of this server, and bounds what each of them may ask for at once. */
  watch(server: Server): void;
  /** Takes no new connection from now on. Those that there are end with the answer to their next request. */
  refuseNew(): Promise<void>;
  /**
   * Resolves when no connection can bring a request any more: each has been idle for longer than `idleMs`, as long as the
   * proxy at its other end keeps it, or ends with the answer that is under way. At the latest after `withinMs`.
   */
  settled(idleMs: number, withinMs: number): Promise<void>;
  /** Resolves when all that was asked has been answered, at the latest after `withinMs`. */
  answered(withinMs: number): Promise<void>;
};

export function createConnections(): Connections {
  /** When each was last seen to do something, and how much had come on it by then. */
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
   * The kernel accepts connections before we do, and resets those that we have not taken when the listener closes: their
   * requests may have been sent, and a proxy sends no POST twice. So it closes right after a turn of the event loop in which
   * none was waiting, and which was short. @returns whether there was such a moment: on a busy machine there is none
   */
  async function isQuiet(): Promise<boolean> {
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
   * A turn of a busy event loop takes one connection, and others come meanwhile. So the kernel gets room for one, and the
   * listener closes when that was taken: whoever connects in between is not answered, tries again, and is refused.
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
      if (!(await isQuiet())) await closeOnceNoneWaits(watched);
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

/** The `close` of HTTP would end idle connections too, on which a request may be on its way. */
function closeListener(server: Server): void {
  NetServer.prototype.close.call(server);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** listen(2) again, with the smallest queue. Node has no public call for it; without it more connections are taken first. */
function acceptOne(server: Server): void {
  const handle: unknown = Reflect.get(server, '_handle');
  const listen: unknown = handle instanceof Object && Reflect.get(handle, 'listen');
  if (typeof listen === 'function') Reflect.apply(listen, handle, [0]);
}
