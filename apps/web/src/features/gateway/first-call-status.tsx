import { useQuery } from '@tanstack/react-query';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import { Suspense, type ReactNode } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { callsSoFar, firstCallPollMs } from './first-call.ts';
import { lastUnansweredQuery, usageStatsQuery } from './queries.ts';
import { config } from '#web/config.ts';
import { lazyPart } from '#ui/lazy-part.ts';

/** Lazy, since the first load is close to its limit. */
const UnansweredReason = lazyPart(() => import('./unanswered-reason.tsx'), 'UnansweredReason');
const ClientCall = lazyPart(() => import('./client-call.tsx'), 'ClientCall');

/** Texts side by side if there is room, else stacked. */
const textClasses = 'flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-2.5 gap-y-1';

/**
 * Shows 'Waiting for the first call' until a client's call was answered, then turns green and names the client. Calls
 * from this website don't count, since they prove nothing about the link. If all calls of clients failed, says why.
 * Polls every 2 s until the first answered call, while the page is visible.
 */
export function FirstCallStatus({ userId, serverId }: { userId: string; serverId?: string | undefined }) {
  const usage = useQuery({
    ...usageStatsQuery(userId),
    refetchInterval: ({ state }) =>
      callsSoFar(state.data?.data, serverId).state === 'answered' ? false : firstCallPollMs,
  });
  const { state, calls, clientAt } = callsSoFar(usage.data?.data, serverId);
  return (
    <div
      role="status"
      className={`flex items-start gap-2.5 border-t border-line px-4 py-3.5 sm:px-5 ${state === 'answered' ? 'bg-good-soft' : ''}`}
    >
      {clientAt !== null && (
        <Arrived calls={calls}>
          <ClientCall userId={userId} serverId={serverId} at={clientAt} />
        </Arrived>
      )}
      {state === 'unproven' && (
        <Unproven userId={userId} serverId={serverId} at={usage.data?.data.lastCallAt ?? ''} failed={usage.isError} />
      )}
      {state === 'none' && <Waiting failed={usage.isError} />}
    </div>
  );
}

function Arrived({ calls, children }: { calls: number; children: ReactNode }) {
  return (
    <>
      <CircleCheck aria-hidden size={16} className="mt-0.5 shrink-0 text-good" />
      <span className={textClasses}>
        <span className="font-medium text-good tabular-nums">
          {calls > 1 ? `Working. ${formatCount(calls)} calls in the last 30 days.` : 'The first call has arrived'}
        </span>
        <Suspense>{children}</Suspense>
      </span>
    </>
  );
}

type UnprovenProps = { userId: string; serverId: string | undefined; at: string; failed: boolean };

/** `at`: the time of the last call, so that a later one is fetched. */
function Unproven({ userId, serverId, at, failed }: UnprovenProps) {
  const { data: call } = useQuery(lastUnansweredQuery(userId, serverId, at));
  if (!call) return <Waiting failed={failed} />;
  return (
    <>
      <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
      <span className={textClasses}>
        <span className="font-medium">A call arrived, but it wasn't answered</span>
        <Suspense>
          <UnansweredReason reason={call.reason} />
        </Suspense>
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
          {failed
            ? `${config.brandName} isn't answering. Trying again…`
            : 'Ask your assistant to use one of the tools.'}
        </span>
      </span>
    </>
  );
}
