import type { RunEvent, RunQuestion } from '@souk/contract/tool-runs.ts';

export type RunEnd = Extract<RunEvent, { type: 'result' | 'failed' }>;

export type RunState = {
  phase: 'idle' | 'running' | 'ended';
  callId: string | undefined;
  isCancelling: boolean;
  progress: Extract<RunEvent, { type: 'progress' }> | undefined;
  /** Open questions, oldest first. */
  questions: readonly RunQuestion[];
  end: RunEnd | undefined;
  /** The balance after the last run that cost credits, newer than any fetched balance. */
  available: number | undefined;
};

/** An event from the broker, or from this page. */
export type RunChange =
  | RunEvent
  | { type: 'started here' }
  | { type: 'cancel asked' }
  | { type: 'answered'; id: string }
  | { type: 'stream ended'; message: string };

export const noRun: RunState = {
  phase: 'idle',
  callId: undefined,
  isCancelling: false,
  progress: undefined,
  questions: [],
  end: undefined,
  available: undefined,
};

const ended = { phase: 'ended', isCancelling: false, questions: [] } as const;

export function changeRun(state: RunState, change: RunChange): RunState {
  switch (change.type) {
    case 'started here':
      return { ...noRun, phase: 'running', available: state.available };
    case 'cancel asked':
      return { ...state, isCancelling: true };
    case 'started':
      return { ...state, callId: change.callId };
    case 'progress':
      return { ...state, progress: change };
    case 'question':
      return { ...state, questions: [...state.questions, change.question] };
    case 'answered':
    case 'withdrawn':
      return { ...state, questions: state.questions.filter(({ id }) => id !== change.id) };
    case 'result':
      return { ...state, ...ended, end: change, available: change.facts.available ?? state.available };
    case 'failed':
      return { ...state, ...ended, end: change };
    case 'stream ended':
      // the end of the stream after the end of the run changes nothing
      if (state.phase !== 'running') return state;
      return { ...state, ...ended, end: { type: 'failed', message: change.message } };
  }
}
