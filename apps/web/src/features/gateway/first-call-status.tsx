import { useQuery } from '@tanstack/react-query';
import CircleCheck from 'lucide-react/icons/circle-check';
import { formatCount } from '#ui/amount.ts';
import { callsSoFar, firstCallPollMs } from './first-call.ts';
import { usageStatsQuery } from './queries.ts';

/**
 * 'Waiting for the first call', which turns green when the call arrives.
 * Polls every 2 s while the page is visible, until then.
 */
export function FirstCallStatus({ userId, serverId }: { userId: string; serverId?: string | undefined }) {
  const usage = useQuery({
    ...usageStatsQuery(userId),
    refetchInterval: ({ state }) => (callsSoFar(state.data?.data, serverId).came ? false : firstCallPollMs),
  });
  const { came, calls } = callsSoFar(usage.data?.data, serverId);
  return (
    <div
      role="status"
      className={`flex min-h-12 flex-wrap items-center gap-x-2.5 gap-y-1 border-t border-line px-4 py-3 sm:px-5 ${came ? 'bg-good-soft' : ''}`}
    >
      {came ? <Arrived calls={calls} /> : <Waiting failed={usage.isError} />}
    </div>
  );
}

function Arrived({ calls }: { calls: number }) {
  return (
    <>
      <CircleCheck aria-hidden size={16} className="shrink-0 text-good" />
      <span className="font-medium text-good tabular-nums">
        {calls > 1 ? `Working. ${formatCount(calls)} calls in the last 30 days.` : 'The first call has arrived'}
      </span>
    </>
  );
}

function Waiting({ failed }: { failed: boolean }) {
  return (
    <>
      <span aria-hidden className="flex size-4 shrink-0 items-center justify-center">
        <span className="size-2 animate-pulse rounded-full bg-accent" />
      </span>
      <span className="font-medium">Waiting for the first call</span>
      <span className="text-[0.8125rem] text-quiet sm:ml-auto">
        {failed ? "The broker isn't answering. Trying again…" : 'Ask your assistant to use one of the tools.'}
      </span>
    </>
  );
}
