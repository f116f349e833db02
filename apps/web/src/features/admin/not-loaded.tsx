import type { ReactNode } from 'react';
import { ErrorState } from '#ui/state/error-state.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { describeFailure, failureText } from '#web/texts/failure-text.ts';

const plain = (error: unknown) => ({ title: failureText(error), reason: undefined });

/** Describes a failure as "Failed to load users", with the reason. */
export const failedToLoad = (what: string) => (error: unknown) => describeFailure(`Failed to load ${what}`, error);

type LoadFailedProps = {
  query: { error: unknown; refetch: () => Promise<unknown>; isFetching: boolean };
  /** By default, the title is the error's message. */
  describe?: ((error: unknown) => { title: string; reason?: string | undefined }) | undefined;
  actions?: ReactNode;
};

/** Replaces data that has not loaded: a skeleton, or the error with a Retry button. */
export function NotLoaded({
  label,
  rows,
  ...failed
}: LoadFailedProps & {
  /** "Loading tools…", for screen readers. */
  label: string;
  rows?: number | undefined;
}) {
  return failed.query.error ? <LoadFailed {...failed} /> : <ListSkeleton label={label} rows={rows} />;
}

export function LoadFailed({ query: { error, refetch, isFetching }, describe = plain, actions }: LoadFailedProps) {
  const { title, reason } = describe(error);
  return (
    <ErrorState title={title} text={reason} onRetry={() => void refetch()} retrying={isFetching} actions={actions} />
  );
}
