import { WrongAnswerError, type McpConnection } from './mcp-connection.ts';

export type Load = {
  /** Calls that were answered rightly. */
  calls: number;
  /** Calls without an answer, or with one that says that it failed. */
  errors: number;
  /** Calls that got another answer than theirs. */
  wrongAnswers: number;
  /** The first thing that went wrong, for the reader. */
  firstProblem: string | undefined;
  elapsedMs: number;
  latenciesMs: number[];
};

/** A broken target fails fast: it must not fill the round with failures. */
const maxProblems = 50;

let texts = 0;

/** Every connection calls, waits for the answer and calls again, until the time is over and the last answer is there. */
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
      // a text of its own for each call: an answer that went to the wrong caller shows
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
