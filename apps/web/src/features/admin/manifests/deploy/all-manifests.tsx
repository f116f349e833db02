import RefreshCw from 'lucide-react/icons/refresh-cw';
import Rocket from 'lucide-react/icons/rocket';
import { useState } from 'react';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { AllManifestsDialogs } from './all-manifests-dialogs.tsx';
import { actionFailure } from '../failure-texts.ts';
import type { ManifestCounts } from '../manifest-queries.ts';
import { RunCard } from '../runs/run-card.tsx';
import type { RunKind } from '../runs/run-queries.ts';
import { useRuns } from '../runs/use-runs.ts';

/** Reloads or deploys all manifests, and shows the progress (spec part 2, section 2). */
export function AllManifests({ userId, counts }: { userId: string; counts: ManifestCounts | undefined }) {
  const [asked, setAsked] = useState<RunKind>();
  const { start, runningKind, shownId, dismiss } = useRuns(userId);
  const busyWith = runningKind ?? (start.isPending ? start.variables?.kind : undefined);
  const staged = counts?.staged ?? 0;
  const reason = counts && whyNotAll(counts);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          loading={busyWith === 'reload'}
          disabled={counts?.active === 0 || busyWith === 'deploy-all'}
          icon={<RefreshCw aria-hidden size={16} className="max-sm:hidden" />}
          onPointerEnter={preloadDialog}
          onClick={() => setAsked('reload')}
        >
          Reload All
        </Button>
        <Button
          loading={busyWith === 'deploy-all'}
          disabled={staged === 0 || busyWith === 'reload'}
          aria-describedby={reason === undefined ? undefined : 'why-not-all'}
          icon={<Rocket aria-hidden size={16} className="max-sm:hidden" />}
          onPointerEnter={preloadDialog}
          onClick={() => setAsked('deploy-all')}
        >
          Deploy All from Staging
          {staged > 0 && (
            <span className="rounded-full bg-accent-soft px-1.5 text-xs text-accent tabular-nums">
              {formatCount(staged)}
              <span className="sr-only"> staged</span>
            </span>
          )}
        </Button>
        {reason !== undefined && (
          <p dir="auto" id="why-not-all" className="text-[0.8125rem] text-quiet">
            {reason}
          </p>
        )}
      </div>
      {start.isError && runningKind === undefined && (
        <Notice
          tone="bad"
          action={
            <Button size="small" className="-my-1" onClick={() => start.reset()}>
              Dismiss
            </Button>
          }
        >
          {actionFailure(start.variables?.kind === 'reload' ? 'reload' : 'deploy', start.error)}
        </Notice>
      )}
      {shownId !== undefined && (
        <RunCard key={shownId} userId={userId} id={shownId} onDismiss={() => dismiss(shownId)} />
      )}
      <AllManifestsDialogs
        userId={userId}
        asked={asked}
        bundledDrafts={counts?.bundledDrafts ?? 0}
        onClose={() => setAsked(undefined)}
        onConfirm={(run) => {
          setAsked(undefined);
          start.mutate(run);
        }}
      />
    </>
  );
}

/** Returns why deploy-all has nothing to do, or what it leaves out. */
function whyNotAll({ staged, bundledDrafts }: ManifestCounts): string | undefined {
  const drafts =
    bundledDrafts === 0
      ? ''
      : `${counted(bundledDrafts, 'bundled draft is', 'bundled drafts are')} deployed by name only.`;
  if (staged === 0) return `Nothing is staged. ${drafts}`.trim();
  return drafts === '' ? undefined : drafts;
}
