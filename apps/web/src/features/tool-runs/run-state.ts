import type { RunEvent, RunQuestion } from '@souk/contract/tool-runs.ts';

export type RunEnd = Extract<RunEvent, { type: 'result' | 'failed' }>;

/** One run, as its events tell it. */
export type RunState = {
  phase: 'idle' | 'running' | 'ended';
  callId: string | undefined;
  isCancelling: boolean;
  progress: Extract<RunEvent, { type: 'progress' }> | undefined;
  /** Open questions, the oldest first. */
  questions: readonly RunQuestion[];
  end: RunEnd | undefined;
  /** Credits that the last run that cost some left: newer than any balance that was read. */
  available: number | undefined;
};

/** An event of the run, or what happens here: it starts; it is cancelled; a question has been answered; the stream ended. */
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
      // a stream that ends after the run's end has nothing to say
      if (state.phase !== 'running') return state;
      return { ...state, ...ended, end: { type: 'failed', message: change.message } };
  }
}
