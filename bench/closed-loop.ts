import { WrongAnswerError, type McpConnection } from './mcp-connection.ts';

export type Load = {
  /** Calls with a correct answer. */
  calls: number;
  /** Calls without an answer, or with an error. */
  errors: number;
  /** Calls that got the answer of another call. */
  wrongAnswers: number;
  firstProblem: string | undefined;
  elapsedMs: number;
  latenciesMs: number[];
};

/** Ends the round of a broken target early. */
const maxProblems = 50;

let texts = 0;

/** Each connection calls, waits for the answer and calls again, until the time is over and all answers have arrived. */
export async function runClosedLoop(connections: readonly McpConnection[], durationMs: number): Promise<Load> {
  const load: Load = { calls: 0, errors: 0, wrongAnswers: 0, firstProblem: undefined, elapsedMs: 0, latenciesMs: [] };
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  await Promise.all(connections.map((connection) => callUntil(connection, endsAt, load)));
  load.elapsedMs = performance.now() - startedAt;
  return load;
}

async function callUntil(connection: McpConnection, endsAt: number, load: Load): Promise<void> {
  let sentAt = performance.now();
  while (sentAt < endsAt && load.errors + load.wrongAnswers < maxProblems) {
    try {
      // a unique text for each call reveals an answer sent to the wrong caller
      await connection.echo(`hello ${++texts}`);
      load.calls++;
      load.latenciesMs.push(performance.now() - sentAt);
    } catch (error) {
      if (error instanceof WrongAnswerError) load.wrongAnswers++;
      else load.errors++;
      load.firstProblem ??= error instanceof Error ? error.message : String(error);
    }
    sentAt = performance.now();
  }
}
