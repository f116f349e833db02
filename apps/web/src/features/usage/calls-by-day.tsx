import type { UsageStats } from '@souk/contract/usage.ts';
import { utcDayText } from '@souk/contract/utc-day.ts';
import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { counted, formatCount } from '#ui/text/amount.ts';
import { DayBars } from '#ui/picture/day-bars.tsx';
import { useServerFaces } from '#web/loading/server-query.ts';
import { axisTop, nextDay } from './day-axis.ts';
import {
  isOneService,
  serviceName,
  ServiceDaysRows,
  type ServiceDays,
  type ServiceDaysRowsProps,
} from './service-days.tsx';

type Day = UsageStats['usageByDay'][number];
type ChartProps = { days: readonly Day[]; services: readonly ServiceDays[] };

/**
 * Bars of the answered tool calls per day between two axes, with those of each service below. Shows the figures of the
 * day under the pointer or chosen by arrow keys. A table has all figures for screen readers.
 */
export function CallsByDay({ days, services }: ChartProps) {
  const [chosen, setChosen] = useState<number>();
  // a single service has the same bars as all
  const apart = services.length > 1 ? services : [];
  const faceOf = useServerFaces(apart.map(({ mcpId }) => mcpId).filter(isOneService));
  const most = Math.max(0, ...days.map(({ answeredToolCalls }) => answeredToolCalls));
  const top = axisTop(most);
  const day = chosen === undefined ? undefined : days[chosen];
  const last = days.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextDay(event.key, chosen ?? last, last);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(next);
  };
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setChosen(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * days.length))));
  };
  return (
    <figure className="border-t border-line pt-5">
      <figcaption className="flex flex-wrap justify-between gap-x-6 text-[0.8125rem] text-quiet">
        <span>Tool calls by day (UTC)</span>
        <span className="tabular-nums">{day ? figuresOf(day) : `Most in a day: ${formatCount(most)}`}</span>
      </figcaption>
      <div className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-xs text-quiet tabular-nums">
        <div aria-hidden className="-my-2 flex flex-col justify-between text-right">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{formatCount(value)}</span>
          ))}
        </div>
        <div
          role="slider"
          aria-label="Day of the chart"
          aria-valuemin={1}
          aria-valuemax={days.length}
          aria-valuenow={(chosen ?? last) + 1}
          aria-valuetext={figuresOf(day ?? days[last])}
          tabIndex={0}
          onKeyDown={onKeyDown}
          onFocus={() => setChosen((before) => before ?? last)}
          onBlur={() => setChosen(undefined)}
          onPointerMove={onPointerMove}
          onPointerLeave={({ currentTarget }) => currentTarget !== document.activeElement && setChosen(undefined)}
          className="relative h-32"
        >
          <div aria-hidden className="absolute inset-0 flex flex-col justify-between">
            {[top, top / 2, 0].map((value) => (
              <span key={value} className="border-t border-line" />
            ))}
          </div>
          <DayBars
            className="relative h-full"
            top={top}
            chosen={chosen}
            bars={days.map(({ date, answeredToolCalls }) => ({ key: date, value: answeredToolCalls }))}
          />
        </div>
        <div aria-hidden className="col-start-2 mt-3 flex justify-between">
          {[0, 1 / 3, 2 / 3, 1].map((share) => (
            <span key={share}>{shortDay(days[Math.round(share * last)])}</span>
          ))}
        </div>
        {apart.length > 0 && (
          <div className="col-start-2 mt-5" onPointerMove={onPointerMove} onPointerLeave={() => setChosen(undefined)}>
            <ServiceDaysRows services={apart} faceOf={faceOf} chosen={chosen} />
          </div>
        )}
      </div>
      <DaysTable days={days} services={apart} faceOf={faceOf} />
    </figure>
  );
}

function DaysTable({ days, services, faceOf }: ChartProps & Pick<ServiceDaysRowsProps, 'faceOf'>) {
  return (
    <div className="sr-only">
      <table>
        <caption>Tool calls by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Tool calls</th>
            <th scope="col">Credits</th>
            {services.map(({ mcpId }) => (
              <th key={mcpId} scope="col">
                {serviceName(mcpId, faceOf)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map(
            (used, index) =>
              used.answeredToolCalls > 0 && (
                <tr key={used.date}>
                  <th scope="row">{dayText(used)}</th>
                  <td>{formatCount(used.answeredToolCalls)}</td>
                  <td>{formatCount(used.totalCredits)}</td>
                  {services.map(({ mcpId, answeredToolCalls }) => (
                    <td key={mcpId}>{formatCount(answeredToolCalls[index] ?? 0)}</td>
                  ))}
                </tr>
              ),
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Days are those of UTC, and are labeled so everywhere. */
const dayText = (day: Day | undefined): string => (day ? utcDayText(day.date) : '');
const shortDay = (day: Day | undefined): string => dayText(day).split(',')[0] ?? '';

const figuresOf = (day: Day | undefined): string =>
  day ? `${dayText(day)}: ${counted(day.answeredToolCalls, 'tool call')}, ${counted(day.totalCredits, 'credit')}` : '';
