import { useQuery } from '@tanstack/react-query';
import { counted, formatCount } from '#ui/text/amount.ts';
import { UtcDay } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { priceRisesQuery } from '../queries.ts';

/** Says on the dashboard which raised prices wait for the user's approval, or which will be raised next. */
export function WaitingPrices({ userId }: { userId: string }) {
  const { data } = useQuery(priceRisesQuery(userId));
  const { rises = [], coming = [] } = data ?? {};
  const [next] = coming;
  if (rises.length === 0 && !next) return null;
  return (
    <div className="mb-6">
      <Notice
        action={
          <TextLink to="/prices" className="shrink-0 font-medium">
            {rises.length > 0 ? 'Review' : 'See prices'}
          </TextLink>
        }
      >
        {rises.length > 0 ? (
          <>
            The price of {counted(rises.length, 'tool')} that you use rose. {rises.length === 1 ? 'Its' : 'Their'} calls
            wait for your approval.
          </>
        ) : (
          next && (
            <>
              The price of {coming.length === 1 ? next.toolName : counted(coming.length, 'tool')} rises
              {coming.length === 1 &&
                ` from ${formatCount(next.credits)} to ${formatCount(next.comingCredits)} credits`}{' '}
              on <UtcDay moment={next.from} />
              {coming.length > 1 && ' or later'}.
            </>
          )
        )}
      </Notice>
    </div>
  );
}
