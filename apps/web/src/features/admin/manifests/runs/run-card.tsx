import type { ManifestRun, ManifestRunItem } from '@souk/contract/admin/manifest-runs.ts';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { SectionHeading } from '#ui/text/section-heading.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { RunItems } from './run-items.tsx';
import { useRun } from './use-runs.ts';
import { commandLineOf } from '../../command-line.ts';

/** A reload or deploy-all in progress, or its result until it is dismissed. */
export function RunCard({ userId, id, onDismiss }: { userId: string; id: string; onDismiss: () => void }) {
  const query = useRun(userId, id);
  const run = query.data;
  if (!run) return <NotLoaded query={query} label="Loading the last run…" />;
  const isOver = run.status !== 'running';
  const count = (...statuses: ManifestRunItem['status'][]) =>
    run.items.filter(({ status }) => statuses.includes(status)).length;
  const counts = {
    live: count('asking', 'unanswered', 'done'),
    ended: count('unanswered', 'done', 'failed'),
    failed: count('failed'),
    unanswered: count('unanswered'),
  };
  return (
    <Card as="section" aria-labelledby="manifest-run" className="flex flex-col gap-4">
      <SectionHeading
        id="manifest-run"
        title={titleOf(run)}
        text={
          <>
            <span role="status">{summary(run, counts)}</span> {run.startedBy?.email ?? commandLineOf(null)},{' '}
            <Ago moment={run.endedAt ?? run.startedAt} />.{run.reason !== null && <> Reason: {run.reason}</>}
            {!isOver && ' It continues if you leave this page.'}
          </>
        }
        actions={
          isOver && (
            <Button size="small" onClick={onDismiss}>
              Dismiss
            </Button>
          )
        }
      />
      {!isOver && <Bar value={counts.ended} of={run.items.length} />}
      <RunItems run={run} />
    </Card>
  );
}

function titleOf({ kind, status }: ManifestRun): string {
  const name = kind === 'reload' ? 'Reload All' : 'Deploy All from Staging';
  return status === 'running'
    ? `${name} is under way`
    : status === 'done'
      ? `${name} has ended`
      : `${name} was interrupted`;
}

function summary(
  { kind, status, items }: ManifestRun,
  counts: Record<'live' | 'ended' | 'failed' | 'unanswered', number>,
): string {
  const verb = kind === 'reload' ? 'reloaded' : 'deployed';
  const { live, ended, failed, unanswered } = counts;
  if (status === 'running') return `${formatCount(ended)} of ${formatCount(items.length)} done.`;
  const failing =
    unanswered === 0 ? '' : ` ${counted(unanswered, 'deployed server is', 'deployed servers are')} failing.`;
  const result = `${formatCount(live)} ${verb}, ${formatCount(failed)} failed.${failing}`;
  if (status === 'done') return result;
  const left = items.length - live - failed;
  return `${result} ${formatCount(left)} were not processed, because the broker stopped. Try again for those.`;
}

/** A progress bar drawn by attributes, since our content security policy forbids inline styles. */
function Bar({ value, of }: { value: number; of: number }) {
  return (
    <svg
      role="progressbar"
      aria-label="Manifests done"
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={value}
      className="h-1.5 w-full overflow-hidden rounded-full bg-sunken"
    >
      <rect width={`${of === 0 ? 0 : (100 * value) / of}%`} height="100%" className="fill-accent" />
    </svg>
  );
}
