import { ErrorState } from '#ui/state/error-state.tsx';
import { describeFailure } from '../texts/failure-text.ts';

export type LoadErrorProps = {
  /** The specification's text of the call (part 1, section 8). */
  title: string;
  query: { error: unknown; isFetching: boolean; refetch: () => unknown };
};

/** The error of a query that has no data, with its reason and a retry. */
export function LoadError({ title, query: { error, isFetching, refetch } }: LoadErrorProps) {
  const failure = describeFailure(title, error);
  return (
    <ErrorState title={failure.title} text={failure.reason} onRetry={() => void refetch()} retrying={isFetching} />
  );
}
