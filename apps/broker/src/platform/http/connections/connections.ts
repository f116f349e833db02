import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { boundPipelines, type Pipelines } from './bound-pipelines.ts';

/** How often it is looked at what connections do, at a stop alone. */
const lookEveryMs = 50;
/** A turn of the event loop this short has read next to nothing, so that nobody can have connected in it unseen. */
const shortTurnMs = 0.1;
/** How long such a moment is waited for. */
const quietWithinMs = 1_000;

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
   * none was waiting, and which was short.
   */
  async function quietMoment(): Promise<void> {
    const beganMs = performance.now();
    for (let quiet = 0; quiet < 2;) {
      const before = accepted;
      const fromMs = performance.now();
      await nextTurn();
      const nowMs = performance.now();
      const isQuiet = accepted === before;
      // on a busy machine any turn without a new connection, and then any
      if (nowMs - beganMs > (isQuiet ? quietWithinMs : 2 * quietWithinMs)) return;
      quiet = isQuiet && nowMs - fromMs < shortTurnMs ? quiet + 1 : 0;
    }
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
      await quietMoment();
      // the one of HTTP would end idle connections too, on which a request may be on its way
      NetServer.prototype.close.call(watched);
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
