import { once } from 'node:events';
import { chmod, mkdir } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { ZodError } from 'zod';
import { DataFolderInUseError, isDatabaseLost, isDiskFull } from '../db/database-errors.ts';
import { lockFolder, type FolderLock } from '../db/embedded/folder-lock.ts';
import { SoukError } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { Log } from '../log.ts';
import { sayIssues } from '../text/say-issues.ts';
import { databaseAway, longestLine, requestSchema, type Answer } from './operator-protocol.ts';
import { placeSocket, removePlace } from './socket-path.ts';

/** Time from the connection to its command. */
const silentMs = 5_000;

/** The operator's commands by name. Each checks its own arguments. */
export type OperatorCommands = Record<string, (args: unknown) => Promise<unknown>>;

export type OperatorServer = {
  /** Finishes running commands, and removes the socket. */
  stop(): Promise<void>;
};

/**
 * Answers the operator's commands on a socket in the data folder that only its owner may open (mode 0600). There is no
 * password, since a user who can open it can read the data folder anyway.
 * @throws DataFolderInUseError if another broker answers there; the socket of a dead broker is replaced
 */
export async function createOperatorServer(options: {
  dataDir: string;
  commands: OperatorCommands;
  log: Log;
}): Promise<OperatorServer> {
  const { dataDir, commands, log } = options;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockSocket(dataDir);
  try {
    await removePlace(dataDir); // we have the lock, so an existing socket is a dead broker's
    const path = await placeSocket(dataDir);
    const silent = new Set<Socket>(); // sockets that have not sent their command yet
    const running = new Set<Promise<void>>();
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      silent.add(socket);
      socket.setTimeout(silentMs, () => socket.destroy());
      socket.on('error', () => {}); // the caller disconnected
      const done = readLine(socket)
        .finally(() => silent.delete(socket))
        .finally(() => socket.setTimeout(0))
        .then((line) => serve(socket, line, commands, log))
        .finally(() => running.delete(done));
      running.add(done);
    });
    await listenPrivately(server, path);
    return {
      async stop() {
        const closed = once(server, 'close');
        server.close();
        for (const socket of silent) socket.destroy();
        await Promise.allSettled(running);
        await closed;
        await removePlace(dataDir);
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function lockSocket(dataDir: string): FolderLock {
  try {
    return lockFolder(join(dataDir, 'souk.sock'));
  } catch (error) {
    throw error instanceof DataFolderInUseError ? new DataFolderInUseError(dataDir) : error;
  }
}

/** Creates the socket with mode 0600. After a later chmod only, others could connect in between. */
async function listenPrivately(server: ReturnType<typeof createServer>, path: string): Promise<void> {
  const listening = once(server, 'listening');
  const umask = process.umask(0o177);
  try {
    server.listen(path); // binds before it returns
  } finally {
    process.umask(umask);
  }
  await listening;
  await chmod(path, 0o600);
}

async function serve(socket: Socket, line: string, commands: OperatorCommands, log: Log): Promise<void> {
  if (socket.destroyed) return;
  const answer = await answerTo(line, commands, log);
  if (socket.destroyed) return;
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.end(`${JSON.stringify(answer)}\n`, () => socket.destroySoon());
  });
}

async function answerTo(line: string, commands: OperatorCommands, log: Log): Promise<Answer> {
  const request = requestSchema.safeParse(parseJson(line));
  if (!request.success) return refused('usage', 'not a command');
  const { command, args } = request.data;
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!run) return refused('usage', `the running broker knows no command ${command}`);
  try {
    return { ok: true, result: (await run(args)) ?? null };
  } catch (error) {
    if (error instanceof SoukError) return refused(error.code, error.message);
    // an error of the operator, not ours
    if (error instanceof ZodError) return refused('usage', sayIssues(error));
    log.error({ err: error, command }, "an operator's command failed");
    if (isDatabaseLost(error) && !isDiskFull(error)) return refused(databaseAway, explain(error));
    return refused(isDiskFull(error) ? 'unavailable' : 'unexpected', explain(error));
  }
}

/** Returns a text that is never empty: some errors have none of their own (an AggregateError's is in its parts). */
function explain(error: unknown): string {
  if (isDiskFull(error)) return 'the disk of the database is full. Free space on it, then run the command again.';
  if (error instanceof AggregateError && error.message === '') return explain(error.errors.at(-1));
  if (!(error instanceof Error)) return String(error) || 'an error without a text';
  return (
    error.message || (error.cause === undefined ? `${error.name} (the broker's log has more)` : explain(error.cause))
  );
}

function refused(code: string, message: string): Answer {
  return { ok: false, code, message };
}

/** Reads the first line, or everything until the caller ended or sent too much. */
async function readLine(socket: Socket): Promise<string> {
  let text = '';
  try {
    for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      text += String(chunk);
      if (text.includes('\n') || text.length > longestLine) break;
    }
  } catch {
    // the connection broke: use what has arrived
  }
  return text.split('\n', 1)[0] ?? '';
}
