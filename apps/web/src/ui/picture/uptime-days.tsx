import { utcDayText } from '@souk/contract/utc-day.ts';

/** A day (UTC) and the percentage of its checks that passed; null: no checks. */
type Day = { day: string; percent: number | null };

const barWidth = 6;
const gap = 2;
const height = 28;
/** Keeps a day with a single failed check visible. */
const leastFailed = 5;
/** The height of a day without checks. */
const stub = 3;

/** One bar per day, with the failed share cut off its top. A table has the same figures for screen readers. */
export function UptimeDays({ days }: { days: readonly Day[] }) {
  return (
    <div className="relative">
      <svg
        aria-hidden
        viewBox={`0 0 ${days.length * (barWidth + gap) - gap} ${height}`}
        preserveAspectRatio="none"
        className="h-7 w-full"
      >
        {days.map((day, index) => (
          <Bar key={day.day} day={day} x={index * (barWidth + gap)} />
        ))}
      </svg>
      <p aria-hidden className="mt-1 flex justify-between text-xs text-faint">
        <span>{days.length - 1} days ago</span>
        <span>Today (UTC)</span>
      </p>
      <div className="sr-only">
        <table>
          <caption>Uptime by day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Uptime</th>
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.day}>
                <th scope="row">{dateOf(day)}</th>
                <td>{uptimeOf(day)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Bar({ day, x }: { day: Day; x: number }) {
  const { percent } = day;
  const failed =
    percent === null || percent === 100 ? 0 : Math.max(leastFailed, Math.round(((100 - percent) / 100) * height));
  const top = percent === null ? height - stub : failed;
  return (
    <g>
      <title>
        {dateOf(day)}: {uptimeOf(day)}
      </title>
      {/* the whole column shows the title */}
      <rect x={x - gap / 2} width={barWidth + gap} height={height} fill="transparent" />
      {failed > 0 && <rect x={x} width={barWidth} height={failed - 1} className="fill-bad" />}
      <rect
        x={x}
        y={top}
        width={barWidth}
        height={height - top}
        className={percent === null ? 'fill-line-strong' : 'fill-good'}
      />
    </g>
  );
}

const dateOf = ({ day }: Day) => utcDayText(day);
const uptimeOf = ({ percent }: Day) => (percent === null ? 'No checks' : `${percent}%`);
