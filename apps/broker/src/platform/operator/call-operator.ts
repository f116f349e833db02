import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { codeOf } from '../thrown.ts';
import { answerSchema } from './operator-protocol.ts';
import { findSocket } from './socket-path.ts';

/** No broker runs on this data folder. */
export class NotRunningError extends Error {
  override name = 'NotRunningError';
  constructor(dataDir: string) {
    super(`no broker runs on the data folder ${dataDir}`);
  }
}

/** The running broker refused the command; the message is for the operator. */
export class OperatorCommandError extends Error {
  override name = 'OperatorCommandError';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Error codes of a connection to a socket without a listener. */
const noListener: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);
const usualTimeoutMs = 60_000;

/** Sends a command to the broker on this data folder. @throws NotRunningError if none runs, OperatorCommandError if it refuses */
export async function callOperator(
  dataDir: string,
  command: string,
  args: unknown,
  timeoutMs = usualTimeoutMs,
): Promise<unknown> {
  const path = await findSocket(dataDir);
  if (path === undefined) throw new NotRunningError(dataDir);
  const socket = createConnection(path);
  socket.setTimeout(timeoutMs, () =>
    socket.destroy(new Error(`the broker did not answer within ${timeoutMs / 1000} s`)),
  );
  socket.write(`${JSON.stringify({ command, args })}\n`);
  let line: string;
  try {
    line = await text(socket);
  } catch (error) {
    throw noListener.has(codeOf(error)) ? new NotRunningError(dataDir) : error;
  } finally {
    socket.destroy();
  }
  if (line === '') throw new Error('the broker ended before it answered');
  const answer = answerSchema.parse(JSON.parse(line));
  if (!answer.ok) throw new OperatorCommandError(answer.code, answer.message);
  return answer.result;
}
