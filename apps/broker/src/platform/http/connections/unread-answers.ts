import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { errorOf } from '../../thrown.ts';
import { createSocketGroups } from './socket-groups.ts';

export type UnreadLimits = {
  /** Time after which a connection ends if it has not taken a piece. */
  patienceMs: number;
  /** Bytes of large answers that one user, and all users together, may leave unread. */
  bytesOfPerson: number;
  bytesOfAll: number;
  /** The same for visitors, per address and together, so that users never wait for them. */
  bytesOfAddress: number;
  bytesOfVisitors: number;
  /** Addresses and networks of many visitors: TRUST_PROXY, and this machine. */
  shared: readonly string[];
};

const mebibyte = 1024 * 1024;
const defaultLimits: UnreadLimits = {
  patienceMs: 30_000,
  bytesOfPerson: 64 * mebibyte,
  bytesOfAll: 512 * mebibyte,
  bytesOfAddress: 32 * mebibyte,
  bytesOfVisitors: 256 * mebibyte,
  shared: [],
};

/** Larger chunks are written in pieces of this size, and counted until they are taken. */
const pieceBytes = 64 * 1024;

/** Bounds how much of unread answers is kept in memory, and for how long. */
export type UnreadAnswers = {
  /** Writes large answers of this server in pieces, and ends connections that take none of them. */
  watch(server: Server): void;
  /** Counts the connection's answers for this user from now on. */
  belongs(socket: Socket, userId: string): void;
  /** Returns the number of large answers that the user has not read. */
  answersOf(userId: string): number;
  /** Whether this user, or all together, have reached their limit of unread bytes. */
  isFull(userId: string): boolean;
  /** Calls back whenever a large answer was read, or its connection has ended. */
  onRead(listener: () => void): void;
  stop(): void;
};

/** Large answers that are not read, with their bytes. */
type Share = { answers: number; bytes: number };
/** The shares of users by id, or those of visitors by address; undefined: all shared addresses. */
type Shares = { by: Map<string | undefined, Share>; bytes: number };
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
 * A server that writes an answer whole keeps it until its client has read it, and forever if the client never reads: a
 * hundred connections with answers of 6 MB took 600 MB. Writing in pieces shows whether a client reads at all.
 */
export function createUnreadAnswers(given: Partial<UnreadLimits> = {}): UnreadAnswers {
  const limits = { ...defaultLimits, ...given };
  const connections = new Map<Socket, Connection>();
  const people: Shares = { by: new Map(), bytes: 0 };
  const visitors: Shares = { by: new Map(), bytes: 0 };
  const addressOf = createSocketGroups(limits.shared);
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;

  async function writeInPieces(socket: Socket, connection: Connection, chunks: Chunks, done: Done): Promise<void> {
    const { userId, address } = connection;
    const [shares, key] = userId === undefined ? [visitors, address] : [people, userId];
    const share = shares.by.get(key) ?? { answers: 0, bytes: 0 };
    let left = sizeOf(chunks);
    if (shares === visitors && isTooMuch(address, share, left)) {
      socket.resetAndDestroy();
      return done();
    }
    shares.by.set(key, share);
    const add = (bytes: number) => {
      share.bytes += bytes;
      shares.bytes += bytes;
    };
    share.answers++;
    add(left);
    try {
      await writePieces(socket, chunks, (bytes) => {
        connection.pieces++;
        const taken = Math.min(left, bytes);
        left -= taken;
        add(-taken);
      });
      done();
    } catch (error) {
      done(errorOf(error));
    } finally {
      add(-left);
      share.answers--;
      if (share.answers === 0) shares.by.delete(key);
      for (const listener of listeners) listener();
    }
  }

  /** Whether a visitor's answer exceeds a limit. A first answer never does, however large. */
  function isTooMuch(address: string | undefined, { bytes }: Share, more: number): boolean {
    if (address !== undefined && bytes > 0 && bytes + more > limits.bytesOfAddress) return true;
    return visitors.bytes > 0 && visitors.bytes + more > limits.bytesOfVisitors;
  }

  /** Replaces how a socket writes large chunks (`_write` and `_writev`, documented for implementers of streams). */
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
      // the same array, because Node keeps a mark on it
      else Socket.prototype._writev?.call(socket, chunks, done);
    };
  }

  /** Ends connections that took nothing since the last checks. One with nothing to write may stay. */
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
    answersOf: (userId) => people.by.get(userId)?.answers ?? 0,
    isFull: (userId) =>
      people.bytes >= limits.bytesOfAll ||
      (people.by.size > 0 && (people.by.get(userId)?.bytes ?? 0) >= limits.bytesOfPerson),
    onRead: (listener) => void listeners.add(listener),
    stop: () => clearInterval(timer),
  };
}

/** Writes each piece once the previous one was taken. */
async function writePieces(socket: Socket, chunks: Chunks, taken: (bytes: number) => void): Promise<void> {
  for (const { chunk, encoding } of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      await new Promise<void>((resolve, reject) => {
        Socket.prototype._write.call(socket, piece, 'buffer' as BufferEncoding, (error) =>
          error ? reject(error) : resolve(),
        );
      });
      taken(piece.length);
    }
  }
}

/** Returns the size in bytes. A string counts its characters, which are never more than its bytes. */
const sizeOf = (chunks: Chunks): number => chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
