import { utcDayText } from '@souk/contract/utc-day.ts';
import { formatDay, formatMoment, formatTime } from './amount.ts';
import { formatDistance } from './distance.ts';
import { useTick } from '../use-tick.ts';

/** A moment as its day, with the time in a tooltip. */
export function Day({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment)} className="whitespace-nowrap tabular-nums">
      {formatDay(moment)}
    </time>
  );
}

/** The UTC day of something that happens at the same time for all users, with the user's time in a tooltip. */
export function UtcDay({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment)} className="whitespace-nowrap tabular-nums">
      {utcDayText(moment)}
    </time>
  );
}

export function DayAndTime({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} className="tabular-nums">
      <span className="whitespace-nowrap">{formatDay(moment)}</span>,{' '}
      <span className="whitespace-nowrap">{formatTime(moment)}</span>
    </time>
  );
}

/** The time since a moment, kept current, with the moment in a tooltip. */
export function Ago({ moment }: { moment: string }) {
  useTick();
  return (
    <time dateTime={moment} title={formatMoment(moment)} className="whitespace-nowrap">
      {formatDistance(moment, Date.now())}
    </time>
  );
}
