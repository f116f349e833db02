// oxlint-disable-next-line import/no-unassigned-import -- it must run before the first schema is made
import '#web/loading/no-compiled-schemas.ts';
import { checkText, type AskedCheck, type CheckedText } from './check-text.ts';

export type WorkerQuestion = { id: number; asked: AskedCheck };
export type WorkerAnswer = { id: number; checked: CheckedText };

// Runs in its own thread, since checking 256 KiB takes longer than a keystroke may take.
self.addEventListener('message', ({ data }: MessageEvent<WorkerQuestion>) => {
  const answer: WorkerAnswer = { id: data.id, checked: checkText(data.asked) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's answer goes to its page
  self.postMessage(answer);
});
