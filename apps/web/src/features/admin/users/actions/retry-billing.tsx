import { Button } from '#ui/button.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import type { useUserBilling } from '../user-work.ts';

/** Says that a user's billing couldn't be loaded, with a Retry button. Renders nothing without an error. */
export function RetryBilling({ billing }: { billing: ReturnType<typeof useUserBilling> }) {
  if (!billing.isError) return null;
  return (
    <FailureNotice
      work="billing"
      error={billing.error}
      action={
        <Button size="small" loading={billing.isFetching} onClick={() => void billing.refetch()}>
          Retry
        </Button>
      }
    />
  );
}
