import { useQuery } from '@tanstack/react-query';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import { formatCount } from '#ui/amount.ts';
import { callsSoFar, firstCallPollMs } from './first-call.ts';
import { lastUnansweredQuery, usageStatsQuery } from './queries.ts';
import { unansweredCallText } from './unanswered-call-text.ts';

/** Beside each other where there is room, else below each other, both beside the sign. */
const textClasses = 'flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-2.5 gap-y-1';

/**
 * 'Waiting for the first call', which turns green when a call is answered. Where calls only failed, it says why.
 * Polls every 2 s while the page is visible, until then.
 */
export function FirstCallStatus({ userId, serverId }: { userId: string; serverId?: string | undefined }) {
  const usage = useQuery({
    ...usageStatsQuery(userId),
    refetchInterval: ({ state }) =>
      callsSoFar(state.data?.data, serverId).state === 'answered' ? false : firstCallPollMs,
  });
  const { state, calls } = callsSoFar(usage.data?.data, serverId);
  return (
    <div
      role="status"
      className={`flex items-start gap-2.5 border-t border-line px-4 py-3.5 sm:px-5 ${state === 'answered' ? 'bg-good-soft' : ''}`}
    >
      {state === 'answered' && <Arrived calls={calls} />}
      {state === 'unanswered' && (
        <Unanswered userId={userId} serverId={serverId} at={usage.data?.data.lastCallAt ?? ''} />
      )}
      {state === 'none' && <Waiting failed={usage.isError} />}
    </div>
  );
}

function Arrived({ calls }: { calls: number }) {
  return (
    <>
      <CircleCheck aria-hidden size={16} className="mt-0.5 shrink-0 text-good" />
      <span className="font-medium text-good tabular-nums">
        {calls > 1 ? `Working. ${formatCount(calls)} calls in the last 30 days.` : 'The first call has arrived'}
      </span>
    </>
  );
}

/** `at`: when the last call came, so that a later one is looked up again. */
function Unanswered({ userId, serverId, at }: { userId: string; serverId: string | undefined; at: string }) {
  const { data: call } = useQuery(lastUnansweredQuery(userId, serverId, at));
  return (
    <>
      <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
      <span className={textClasses}>
        <span className="font-medium">A call arrived, but it wasn't answered</span>
        {call && <span className="text-[0.8125rem] text-quiet">{unansweredCallText(call.reason)}</span>}
      </span>
    </>
  );
}

function Waiting({ failed }: { failed: boolean }) {
  return (
    <>
      <span aria-hidden className="mt-0.5 flex size-4 shrink-0 items-center justify-center">
        <span className="size-2 animate-pulse rounded-full bg-accent" />
      </span>
      <span className={textClasses}>
        <span className="font-medium">Waiting for the first call</span>
        <span className="text-[0.8125rem] text-quiet">
          {failed ? "The broker isn't answering. Trying again…" : 'Ask your assistant to use one of the tools.'}
        </span>
      </span>
    </>
  );
}
