import type { Call } from '@souk/contract/usage.ts';
import { formatCount, formatMoment } from '#ui/text/amount.ts';
import { Facts } from '#ui/text/facts.tsx';
import { StatusBadge, type StatusTone } from '#ui/state/status-badge.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { At } from '../at.tsx';

const tones: Readonly<Record<Call['outcome'], StatusTone>> = {
  ok: 'good',
  error: 'bad',
  failed: 'bad',
  refused: 'idle',
  cancelled: 'idle',
};
export const outcomeWords: Readonly<Record<Call['outcome'], string>> = {
  ok: 'Answered',
  error: 'Tool error',
  failed: 'Failed',
  refused: 'Refused',
  cancelled: 'Canceled',
};

const Outcome = ({ outcome, reason }: Pick<Call, 'outcome' | 'reason'>) => (
  <span className="inline-flex flex-wrap items-center gap-x-2">
    <StatusBadge status={outcome} tone={tones[outcome]} quiet={outcome === 'ok'}>
      {outcomeWords[outcome]}
    </StatusBadge>
    {reason !== null && reason !== 'tool_error' && (
      <span className="text-[0.8125rem] text-quiet">{reason.replaceAll('_', ' ')}</span>
    )}
  </span>
);

const columns: readonly TableColumn<Call>[] = [
  {
    id: 'what',
    header: 'Call',
    rowHeader: true,
    cell: (call) => (
      <div className="min-w-32">
        <span dir="auto" className="wrap-anywhere">
          {call.name}
        </span>
        <div className="text-[0.8125rem] font-normal text-quiet">
          <Facts className="wrap-anywhere">
            {call.serverId ?? 'No service'}
            {call.count > 1 && `${formatCount(call.count)} times`}
          </Facts>
          <span dir="auto" className="block wrap-anywhere sm:hidden">
            {call.client.name}
          </span>
        </div>
        <div className="mt-1 flex flex-col gap-1 text-[0.8125rem] font-normal text-quiet sm:hidden">
          <Outcome {...call} />
          <time dateTime={call.at}>{formatMoment(call.at)}</time>
        </div>
      </div>
    ),
  },
  { id: 'outcome', header: 'Outcome', wideOnly: true, cell: (call) => <Outcome {...call} /> },
  { id: 'time', header: 'Time', wideOnly: true, cell: ({ at }) => <At moment={at} /> },
  {
    id: 'app',
    header: 'App or token',
    wideOnly: true,
    cell: ({ client }) => (
      <span dir="auto" className="wrap-anywhere">
        {client.name}
      </span>
    ),
  },
  {
    id: 'duration',
    header: 'Duration',
    numeric: true,
    wideOnly: true,
    cell: ({ durationMs }) => `${formatCount(durationMs)} ms`,
  },
  { id: 'credits', header: 'Credits', numeric: true, cell: ({ credits }) => formatCount(credits) },
];

/** Calls without their arguments and results, which aren't stored. */
export function CallsTable({ caption, calls }: { caption: string; calls: readonly Call[] }) {
  return <Table caption={caption} columns={columns} rows={calls} rowKey={({ id }) => id} />;
}
