import type { AnswerRun } from './tool-runs-api.ts';
import { useEffect, useReducer, useRef } from 'react';
import { failureText } from '#web/texts/failure-text.ts';
import { changeRun, noRun } from './run-state.ts';
import { streamToolRun, toolRunsApi, type WantedRun } from './tool-runs-api.ts';

const lostText = 'The connection ended before the tool had answered. The run was canceled.';

/** Runs a tool, one run at a time. Unmounting the component cancels the run. */
export function useToolRun(onEnd: () => void) {
  const [state, change] = useReducer(changeRun, noRun);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  async function start(wanted: WantedRun): Promise<void> {
    const controller = new AbortController();
    abort.current = controller;
    change({ type: 'started here' });
    try {
      await streamToolRun(wanted, controller.signal, change);
      change({ type: 'stream ended', message: lostText });
    } catch (error) {
      const message = controller.signal.aborted ? 'The call was canceled.' : failureText(error);
      change({ type: 'stream ended', message });
    }
    onEnd();
  }

  return {
    state,
    start,
    async answer(answer: AnswerRun): Promise<void> {
      if (state.callId === undefined) return;
      await toolRunsApi.answerToolRun({ params: { callId: state.callId }, body: answer });
      change({ type: 'answered', id: answer.id });
    },
    /**
     * Asks the broker to cancel, so that the server's last message still arrives. If the broker does not answer, closes
     * the stream.
     */
    async cancel(): Promise<void> {
      const controller = abort.current;
      const { callId } = state;
      change({ type: 'cancel asked' });
      if (callId === undefined) return controller?.abort();
      await toolRunsApi.cancelToolRun({ params: { callId } }).catch(() => controller?.abort());
    },
  };
}
