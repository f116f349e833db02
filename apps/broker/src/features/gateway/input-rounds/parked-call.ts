import type { InputRequests } from '@modelcontextprotocol/server';
import type { Ask } from '#adapters/mcp/types.ts';
import type { CallRequest } from '../call-request.ts';

type Question = Ask & { resolve(answer: Record<string, unknown>): void };
type Round<Answer> = { answer: Answer } | { questions: InputRequests };

/** A call that runs on while its client, which cannot be asked in the middle of one, goes and fetches answers. */
export type ParkedCall<Answer> = {
  readonly userId: string;
  /**
   * One request of the client: takes its answers, then waits for the end of the call or the next questions.
   * Rejects as the call does. A client that hangs up in the meantime ends the call.
   */
  round(request: CallRequest<unknown>, answers: Record<string, unknown>): Promise<Round<Answer>>;
  end(): void;
};

/**
 * Starts a call whose server may ask (up to 2025-11-25) for a client of 2026-07-28.
 * @param call runs it with what replaces the client: its signal, and somebody who takes questions
 */
export function startParkedCall<Answer>(
  first: CallRequest<unknown>,
  call: (side: Pick<CallRequest<unknown>, 'signal' | 'onAsk' | 'onProgress' | 'onLog'>) => Promise<Answer>,
): ParkedCall<Answer> {
  const abort = new AbortController();
  const questions = new Map<string, Question>();
  let asked = 0;
  let wake = () => {};
  // whichever request of the client is open hears of progress
  let current: CallRequest<unknown> | undefined = first;

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
    // a server is asked for progress only when the client asks for it
    onProgress: first.onProgress && ((progress) => current?.onProgress?.(progress)),
    onLog: (message) => current?.onLog?.(message),
  });
  // it may fail while nobody waits; the next round hears of it
  running.catch(() => {});

  return {
    userId: first.person.caller.userId,
    async round(request, answers) {
      current = request;
      const hangUp = () => abort.abort();
      if (request.signal.aborted) hangUp();
      request.signal.addEventListener('abort', hangUp, { once: true });
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
        request.signal.removeEventListener('abort', hangUp);
        current = undefined;
      }
    },
    end: () => abort.abort(),
  };
}

function present(questions: ReadonlyMap<string, Question>): InputRequests {
  return Object.fromEntries(
    [...questions].map(([key, { method, params }]) => {
      // the modern form of a page to open has no id
      const { elicitationId: _, ...rest } = params;
      // why the cast: the server's own request, which the SDK checked when it came
      return [key, { method, params: rest } as InputRequests[string]];
    }),
  );
}
