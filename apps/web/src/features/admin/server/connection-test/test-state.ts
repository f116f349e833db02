import type { ConnectionTestEvent, TestStep } from '@souk/contract/admin/servers.ts';

type EventOf<Type extends ConnectionTestEvent['type']> = Extract<ConnectionTestEvent, { type: Type }>;

export type StepState = {
  step: TestStep;
  status: 'waiting' | 'working' | 'passed' | 'failed' | 'skipped' | 'not-reached';
  text?: string;
  ms?: number;
};

export type TestState = {
  isRunning: boolean;
  steps: readonly StepState[];
  tools?: EventOf<'tools'>;
  findings?: EventOf<'findings'>['findings'];
  lines?: readonly string[];
  end?: EventOf<'end'>;
  /** Why there is no result: the test was refused, or the connection to the broker ended. */
  failure?: string;
};

export type TestAction =
  | ConnectionTestEvent
  | { type: 'asked' }
  | { type: 'stream ended'; failure: string | undefined };

export const noTest: TestState = { isRunning: false, steps: [] };

export function changeTest(state: TestState, action: TestAction): TestState {
  switch (action.type) {
    case 'asked':
      return { isRunning: true, steps: [] };
    case 'started':
      return { ...state, steps: action.steps.map((step) => ({ step, status: 'waiting' })) };
    case 'working':
      return withStep(state, { step: action.step, status: 'working' });
    case 'step': {
      const { step, result, text, ms } = action;
      return withStep(state, { step, status: result, text, ms });
    }
    case 'tools':
      return { ...state, tools: action };
    case 'findings':
      return { ...state, findings: action.findings };
    case 'lines':
      return { ...state, lines: action.lines };
    case 'end':
      return { ...state, isRunning: false, end: action, steps: state.steps.map(notReached) };
    case 'stream ended': {
      if (state.end) return { ...state, isRunning: false };
      const failure = action.failure ?? 'The connection to the broker ended before the test did.';
      return { ...state, isRunning: false, failure, steps: state.steps.map(notReached) };
    }
  }
}

/** Replaces a step, or adds one that the broker didn't announce. */
function withStep(state: TestState, next: StepState): TestState {
  const isKnown = state.steps.some(({ step }) => step === next.step);
  const steps = isKnown ? state.steps.map((one) => (one.step === next.step ? next : one)) : [...state.steps, next];
  return { ...state, steps };
}

const notReached = (step: StepState): StepState =>
  step.status === 'waiting' || step.status === 'working' ? { ...step, status: 'not-reached' } : step;
