import type { InputRequests } from '@modelcontextprotocol/server';
import type { Ask } from '#adapters/mcp/upstream.ts';
import { unanswered, type LogicalCall } from '../../call/call.ts';
import type { CallRequest } from '../../call/call-request.ts';

type Question = Ask & { resolve(answer: Record<string, unknown>): void };
type Round<Answer> = { answer: Answer } | { questions: InputRequests };

export type RoundSide = Pick<CallRequest<unknown>, 'signal' | 'onProgress' | 'onLog' | 'listening'>;

/** A call that continues to run while its client, which cannot be asked during a request, collects the answers. */
export type ParkedCall = ReturnType<typeof startParkedCall<object>>;

/**
 * Starts a call of a server that may ask questions (up to 2025-11-25) for a client of 2026-07-28.
 * @param call runs it with a signal and handlers that stand in for the client
 */
export function startParkedCall<Answer>(
  first: CallRequest<unknown>,
  call: (
    side: Pick<CallRequest<unknown>, 'signal' | 'onAsk' | 'onProgress' | 'onLog' | 'listening'>,
  ) => Promise<Answer>,
) {
  const abort = new AbortController();
  const questions = new Map<string, Question>();
  let asked = 0;
  let wake = () => {};
  // progress goes to the client's currently open request
  let current: RoundSide | undefined = first;

  const running = call({
    signal: abort.signal,
    onAsk: (ask, signal) =>
      new Promise((resolve, reject) => {
        const key = `ask-${++asked}`;
        questions.set(key, { ...ask, resolve });
        signal.addEventListener('abort', () => {
          questions.delete(key);
          reject(new Error('the server no longer asks'));
        });
        wake();
      }),
    // only request progress from the server if the client requested it
    onProgress: first.onProgress && ((progress) => current?.onProgress?.(progress)),
    onLog: (message) => current?.onLog?.(message),
    // no request is open between two rounds
    listening: () => current?.listening() ?? 'gone',
  });
  // it may fail between two rounds; the next round gets the failure
  running.catch(() => {});

  return {
    userId: first.context.caller.userId,
    logical: first.logical,
    /**
     * Runs one request of the client: passes on its answers, then waits for the end of the call or the next questions.
     * Rejects as the call does. The call ends if the client hangs up meanwhile.
     */
    async round(side: RoundSide, answers: Record<string, unknown>): Promise<Round<Answer>> {
      current = side;
      const hangUp = () => abort.abort();
      if (side.signal.aborted) hangUp();
      side.signal.addEventListener('abort', hangUp, { once: true });
      for (const [key, question] of questions) {
        const answer = answers[key];
        if (typeof answer !== 'object' || answer === null) continue;
        questions.delete(key);
        question.resolve({ ...answer });
      }
      try {
        const nextQuestion = new Promise<undefined>((resolve) => {
          wake = () => resolve(undefined);
        });
        if (questions.size > 0) wake();
        const ended = await Promise.race([running.then((answer) => ({ answer })), nextQuestion]);
        return ended ?? { questions: present(questions) };
      } finally {
        side.signal.removeEventListener('abort', hangUp);
        current = undefined;
      }
    },
    /** Ends a call that waits for an answer, by default because none came. */
    end: (why: Error = unanswered): void => abort.abort(why),
    running,
  };
}

function present(questions: ReadonlyMap<string, Question>): InputRequests {
  return Object.fromEntries(
    [...questions].map(([key, { method, params }]) => {
      // in the modern era a page to open has no id
      const { elicitationId: _, ...rest } = params;
      // why the cast: the SDK checked the server's request when it arrived
      return [key, { method, params: rest } as InputRequests[string]];
    }),
  );
}

export function countAnswer(logical: LogicalCall): void {
  logical.answers = (logical.answers ?? 0) + 1;
}
