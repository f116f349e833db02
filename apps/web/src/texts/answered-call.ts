import type { Call } from '@souk/contract/usage.ts';

/** A tool's own error is an answer of its server. Every other call that is not ok was not answered. */
export const isAnswered = ({ outcome, reason }: Pick<Call, 'outcome' | 'reason'>): boolean =>
  outcome === 'ok' || reason === 'tool_error';
