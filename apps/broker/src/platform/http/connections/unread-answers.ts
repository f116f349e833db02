import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { createSocketGroups } from './socket-groups.ts';

export type UnreadLimits = {
  /** A connection on which a piece was not taken for so long ends. */
  patienceMs: number;
  /** Bytes of large answers that one person, and all people together, may leave unread. */
  bytesOfPerson: number;
  bytesOfAll: number;
  /** The same of visitors, from one address and together. People never wait for these. */
  bytesOfAddress: number;
  bytesOfVisitors: number;
  /** Addresses and networks behind which many visitors are: TRUST_PROXY, and this machine. */
  shared: readonly string[];
};

const mebibyte = 1024 * 1024;
const usual: UnreadLimits = {
  patienceMs: 30_000,
  bytesOfPerson: 64 * mebibyte,
  bytesOfAll: 512 * mebibyte,
  bytesOfAddress: 32 * mebibyte,
  bytesOfVisitors: 256 * mebibyte,
  shared: [],
};

/** More than this is written in pieces, and counted until it was taken. */
const pieceBytes = 64 * 1024;

/** Answers that clients do not read: how much of them is kept, and for how long. */
export type UnreadAnswers = {
  /** Writes large answers of this server in pieces, and ends connections that take none of them. */
  watch(server: Server): void;
  /** The connection carries answers of this person from now on. */
  belongs(socket: Socket, userId: string): void;
  /** Large answers that the person has not read. */
  answersOf(userId: string): number;
  /** Whether so much is unread, of this person or of all, that no more is added. */
  isFull(userId: string): boolean;
  /** Calls back whenever a large answer was read, or its connection has ended. */
  onRead(listener: () => void): void;
  stop(): void;
};

type Person = { answers: number; bytes: number };
type Connection = {
  userId: string | undefined;
  address: string | undefined;
  pieces: number;
  seenPieces: number;
  seenAtMs: number;
};
type Done = (error?: Error | null) => void;
type Chunks = { chunk: Buffer | string; encoding: BufferEncoding }[];

/**
 * A server that writes an answer whole keeps it until its client has read it, and a client that never reads keeps it for
 * ever: a hundred connections with answers of 6 MB took 600 MB. Pieces show whether a client reads at all.
 */
export function createUnreadAnswers(given: Partial<UnreadLimits> = {}): UnreadAnswers {
  const limits = { ...usual, ...given };
  const connections = new Map<Socket, Connection>();
  const people = new Map<string, Person>();
  /** By address; undefined: all that are shared. */
  const visitors = new Map<string | undefined, Person>();
  const addressOf = createSocketGroups(limits.shared);
  const listeners = new Set<() => void>();
  let bytesOfAll = 0;
  let bytesOfVisitors = 0;
  let timer: NodeJS.Timeout | undefined;

  async function writeInPieces(socket: Socket, connection: Connection, chunks: Chunks, done: Done): Promise<void> {
    const { userId, address } = connection;
    const isVisitor = userId === undefined;
    const person = (isVisitor ? visitors.get(address) : people.get(userId)) ?? { answers: 0, bytes: 0 };
    let left = sizeOf(chunks);
    if (isVisitor && isTooMuch(address, person, left)) {
      socket.resetAndDestroy();
      return done();
    }
    if (isVisitor) visitors.set(address, person);
    else people.set(userId, person);
    const add = (bytes: number) => {
      person.bytes += bytes;
      if (isVisitor) bytesOfVisitors += bytes;
      else bytesOfAll += bytes;
    };
    person.answers++;
    add(left);
    try {
      for (const { chunk, encoding } of chunks) {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
        for (let at = 0; at < bytes.length; at += pieceBytes) {
          const piece = bytes.subarray(at, at + pieceBytes);
          await new Promise<void>((resolve, reject) => {
            Socket.prototype._write.call(socket, piece, 'buffer' as BufferEncoding, (error) =>
              error ? reject(error) : resolve(),
            );
          });
          connection.pieces++;
          const taken = Math.min(left, piece.length);
          left -= taken;
          add(-taken);
        }
      }
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    } finally {
      add(-left);
      person.answers--;
      if (person.answers === 0) {
        if (isVisitor) visitors.delete(address);
        else people.delete(userId);
      }
      for (const listener of listeners) listener();
    }
  }

  /** One answer is always written, however large. */
  function isTooMuch(address: string | undefined, { bytes }: Person, more: number): boolean {
    if (address !== undefined && bytes > 0 && bytes + more > limits.bytesOfAddress) return true;
    return bytesOfVisitors > 0 && bytesOfVisitors + more > limits.bytesOfVisitors;
  }

  /** As Node writes, but for what is large (documented for those who implement a stream: `_write`, `_writev`). */
  function writeOn(socket: Socket): void {
    const connection: Connection = {
      userId: undefined,
      address: addressOf(socket),
      pieces: 0,
      seenPieces: 0,
      seenAtMs: 0,
    };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    socket._write = (chunk: Buffer | string, encoding, done) => {
      connection.pieces++;
      if (chunk.length > pieceBytes) void writeInPieces(socket, connection, [{ chunk, encoding }], done);
      else Socket.prototype._write.call(socket, chunk, encoding, done);
    };
    socket._writev = (chunks: Chunks, done) => {
      connection.pieces++;
      if (sizeOf(chunks) > pieceBytes) void writeInPieces(socket, connection, chunks, done);
      // the same array: Node keeps a mark on it
      else Socket.prototype._writev?.call(socket, chunks, done);
    };
  }

  /** Ends connections on which nothing was taken since the last looks; one with nothing to write may stay. */
  function endStalled(): void {
    const nowMs = performance.now();
    for (const [socket, connection] of connections) {
      const isMoving = socket.writableLength === 0 || connection.pieces !== connection.seenPieces;
      if (isMoving) Object.assign(connection, { seenPieces: connection.pieces, seenAtMs: nowMs });
      else if (nowMs - connection.seenAtMs >= limits.patienceMs) socket.resetAndDestroy();
    }
  }

  return {
    watch(server) {
      server.on('connection', writeOn);
      timer = setInterval(endStalled, limits.patienceMs / 6).unref();
    },
    belongs(socket, userId) {
      const connection = connections.get(socket);
      if (connection) connection.userId = userId;
    },
    answersOf: (userId) => people.get(userId)?.answers ?? 0,
    isFull: (userId) =>
      bytesOfAll >= limits.bytesOfAll || (people.size > 0 && (people.get(userId)?.bytes ?? 0) >= limits.bytesOfPerson),
    onRead: (listener) => void listeners.add(listener),
    stop: () => clearInterval(timer),
  };
}

/** In bytes, or letters of texts: no more than the bytes. */
const sizeOf = (chunks: Chunks): number => chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
