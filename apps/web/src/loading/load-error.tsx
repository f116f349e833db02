import type { ReactNode } from 'react';
import { ErrorState } from '#ui/state/error-state.tsx';
import { describeFailure } from '../texts/failure-text.ts';

export type LoadErrorProps = {
  /** The specification's text of the call (part 1, section 8). */
  title: string;
  /** Replaces the reason of the error. */
  text?: ReactNode;
  query: { error: unknown; isFetching: boolean; refetch: () => unknown };
};

/** The error of a query that has no data, with its reason and a retry. */
export function LoadError({ title, text, query: { error, isFetching, refetch } }: LoadErrorProps) {
  const failure = text === undefined ? describeFailure(title, error) : { title, reason: text };
  return (
    <ErrorState title={failure.title} text={failure.reason} onRetry={() => void refetch()} retrying={isFetching} />
  );
}
