import type { AskedCheck, CheckedText } from './check-text.ts';
import type { WorkerAnswer, WorkerQuestion } from './check-worker.ts';

export type Checker = {
  /** Resolves with undefined if a newer text came in, or the checker has ended. */
  check(asked: AskedCheck): Promise<CheckedText | undefined>;
  end(): void;
};

/** Checks texts in a worker, one at a time. Of the waiting texts, only the newest is checked. */
export function startChecker(): Checker {
  const worker = new Worker(new URL('./check-worker.ts', import.meta.url), { type: 'module' });
  type Waiting = { asked: AskedCheck; resolve: (checked: CheckedText | undefined) => void };
  let running: Waiting | undefined;
  let waiting: Waiting | undefined;
  let id = 0;
  const begin = (next: Waiting | undefined) => {
    running = next;
    waiting = undefined;
    if (!next) return;
    id += 1;
    const question: WorkerQuestion = { id, asked: next.asked };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin of its own
    worker.postMessage(question);
  };
  worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
    if (data.id !== id) return;
    running?.resolve(data.checked);
    begin(waiting);
  });
  // the worker's file may be missing after an update of Souk; the broker checks the text anyway
  worker.addEventListener('error', () => {
    running?.resolve(undefined);
    begin(undefined);
  });
  return {
    check: (asked) =>
      new Promise((resolve) => {
        const next = { asked, resolve };
        if (!running) return begin(next);
        waiting?.resolve(undefined);
        waiting = next;
      }),
    end() {
      worker.terminate();
      running?.resolve(undefined);
      waiting?.resolve(undefined);
    },
  };
}
