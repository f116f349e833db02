import { utcDayText } from '@souk/contract/utc-day.ts';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { formatCount, formatMoney } from '#ui/text/amount.ts';
import { Table, type TableColumn } from '#ui/table.tsx';
import { sells } from '#web/config.ts';
import type { Figures } from './overview-queries.ts';

type Row = Figures['days'][number] & { index: number };

/** The figures of the charts above, by day. */
export function DayTable({ figures: { days, revenue } }: { figures: Figures }) {
  const sold: TableColumn<Row>[] = [
    ...revenue.map(({ currency, byDay }): TableColumn<Row> => ({
      id: currency,
      header: revenue.length > 1 ? `Revenue, ${currency}` : 'Revenue',
      cell: ({ index }) => formatMoney(byDay[index] ?? 0, currency),
      numeric: true,
    })),
    { id: 'credits', header: 'Credits used', cell: (row) => formatCount(row.creditsUsed), numeric: true },
  ];
  const columns: TableColumn<Row>[] = [
    { id: 'day', header: 'Day', cell: ({ date }) => utcDayText(date), rowHeader: true },
    ...(sells ? sold : []),
    { id: 'calls', header: 'Tool calls', cell: ({ calls }) => formatCount(calls), numeric: true },
    { id: 'errors', header: 'Failed', cell: ({ errors }) => formatCount(errors), numeric: true },
    {
      id: 'people',
      header: 'People',
      cell: ({ people }) => (people === null ? 'Not counted yet' : formatCount(people)),
      numeric: true,
    },
  ];
  const rows = days.map((day, index) => ({ ...day, index })).toReversed();
  return (
    <details className="group/days">
      <summary className="flex w-fit cursor-pointer items-center gap-1 rounded-sm py-1 text-[0.8125rem] font-medium text-quiet hover:text-text [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden size={15} className="transition-transform group-open/days:rotate-90" />
        Day by day
      </summary>
      <div className="mt-3">
        <Table caption="Figures by day" columns={columns} rows={rows} rowKey={({ date }) => date} />
      </div>
    </details>
  );
}
