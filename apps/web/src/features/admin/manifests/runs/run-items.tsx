import type { ManifestRun, ManifestRunItem } from '@souk/contract/admin/manifest-runs.ts';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import { useState, type ReactNode } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Pagination } from '#ui/pagination.tsx';
import { Spinner } from '#ui/state/spinner.tsx';
import { groupRun, type RunGroup } from './run-groups.ts';

const groupsPerPage = 20;

/** The state of each manifest of a run. The box scrolls, so that the list of manifests below stays visible. */
export function RunItems({ run }: { run: ManifestRun }) {
  const [page, setPage] = useState(1);
  const groups = groupRun(run.items);
  if (groups.length === 0) return null;
  const pageCount = Math.ceil(groups.length / groupsPerPage);
  return (
    <div className="flex flex-col gap-3">
      <ul
        aria-label="Manifests of this run"
        tabIndex={0}
        className="max-h-52 divide-y divide-line overflow-y-auto rounded-md border border-line"
      >
        {groups.slice((page - 1) * groupsPerPage, page * groupsPerPage).map((group) => (
          <Group key={group.items[0].id} group={group} />
        ))}
      </ul>
      <Pagination label="Manifests of this run" page={page} pageCount={pageCount} onChange={setPage} />
    </div>
  );
}

function Group({ group: { status, message, items } }: { group: RunGroup }) {
  return (
    <li className="px-3 py-2">
      <div className="flex items-start justify-between gap-4">
        {items.length === 1 ? (
          <Name item={items[0]} />
        ) : (
          <details className="min-w-0">
            <summary className="cursor-pointer py-0.5 font-medium">{formatCount(items.length)} servers</summary>
            <ul className="mt-1 flex flex-col gap-0.5">
              {items.map((item) => (
                <li key={item.id}>
                  <Name item={item} />
                  {item.message !== message && (
                    <span className="block text-[0.8125rem] wrap-anywhere text-quiet">{item.message}</span>
                  )}
                </li>
              ))}
            </ul>
          </details>
        )}
        <State status={status} />
      </div>
      {message !== undefined && <p className="mt-0.5 text-[0.8125rem] wrap-anywhere text-quiet">{message}</p>}
    </li>
  );
}

function Name({ item: { id, name, version } }: { item: ManifestRunItem }) {
  return (
    <span className="min-w-0 wrap-anywhere">
      <span dir="auto" className="font-medium">
        {name}
      </span>
      {name !== id && <code className="ml-1.5 text-[0.8125rem] text-quiet">{id}</code>}
      {version !== undefined && <span className="text-quiet tabular-nums"> {version}</span>}
    </span>
  );
}

const states: Readonly<Record<ManifestRunItem['status'], { text: string; icon: ReactNode; colour: string }>> = {
  queued: { text: 'Queued', icon: <CircleDashed aria-hidden size={15} />, colour: 'text-quiet' },
  working: { text: 'Working', icon: <Spinner />, colour: 'text-text' },
  asking: { text: 'Deployed, connecting', icon: <Spinner />, colour: 'text-text' },
  unanswered: { text: 'Deployed, failing', icon: <CircleAlert aria-hidden size={15} />, colour: 'text-bad' },
  done: { text: 'Done', icon: <CircleCheck aria-hidden size={15} />, colour: 'text-good' },
  failed: { text: 'Failed', icon: <CircleAlert aria-hidden size={15} />, colour: 'text-bad' },
};

function State({ status }: Pick<ManifestRunItem, 'status'>) {
  const { text, icon, colour } = states[status];
  return (
    <span className={`flex shrink-0 items-center gap-1.5 text-[0.8125rem] font-medium ${colour}`}>
      {icon}
      {text}
    </span>
  );
}
