import { Button } from '#ui/button.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import type { useUserBilling } from '../user-work.ts';

/** Says in a dialog that the user's billing could not be loaded, with a way on. Draws nothing while it could. */
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
