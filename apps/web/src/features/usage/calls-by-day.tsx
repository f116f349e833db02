import type { UsageStats } from '@souk/contract/usage.ts';
import { formatCount, formatDay } from '#ui/amount.ts';

type Day = UsageStats['usageByDay'][number];

/** Of the drawing, in units of its own: it is stretched to the width that there is. */
const step = 10;
const gap = 3;
const height = 64;
const least = 2;

/** The tool calls of each day as bars, and as a table for those who don't see them. */
export function CallsByDay({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ toolCalls }) => toolCalls));
  return (
    <figure className="border-t border-line pt-5">
      <figcaption className="flex flex-wrap justify-between gap-x-6 text-[0.8125rem] text-quiet">
        <span>Tool calls by day</span>
        <span className="tabular-nums">Most in a day: {formatCount(most)}</span>
      </figcaption>
      <svg
        aria-hidden
        viewBox={`0 0 ${days.length * step - gap} ${height}`}
        preserveAspectRatio="none"
        className="mt-3 block h-24 w-full"
      >
        {days.map((day, index) => (
          <Bar key={day.date} day={day} x={index * step} share={day.toolCalls / most} />
        ))}
      </svg>
      <div aria-hidden className="mt-2 flex justify-between text-xs text-faint tabular-nums">
        <span>{dayText(days[0])}</span>
        <span>{dayText(days.at(-1))}</span>
      </div>
      <table className="sr-only">
        <caption>Tool calls by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Tool calls</th>
            <th scope="col">Credits</th>
          </tr>
        </thead>
        <tbody>
          {days
            .filter(({ toolCalls }) => toolCalls > 0)
            .map((day) => (
              <tr key={day.date}>
                <th scope="row">{dayText(day)}</th>
                <td>{formatCount(day.toolCalls)}</td>
                <td>{formatCount(day.totalCredits)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
}

/** The whole column answers the pointer: a low bar is hard to hit. */
function Bar({ day, x, share }: { day: Day; x: number; share: number }) {
  const tall = day.toolCalls === 0 ? least / 2 : Math.max(least, share * height);
  return (
    <g className="group">
      <title>{`${dayText(day)}. Tool calls: ${formatCount(day.toolCalls)}. Credits: ${formatCount(day.totalCredits)}.`}</title>
      <rect x={x} y={0} width={step - gap} height={height} className="fill-transparent" />
      <rect
        x={x}
        y={height - tall}
        width={step - gap}
        height={tall}
        className={
          day.toolCalls === 0
            ? 'fill-line'
            : 'fill-line-strong transition-colors group-hover:fill-ink forced-colors:fill-[CanvasText]'
        }
      />
    </g>
  );
}

/** The days are those of UTC, and are named as such everywhere. */
const dayText = (day: Day | undefined): string => (day ? formatDay(`${day.date}T00:00`) : '');
