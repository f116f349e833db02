import { utcDayText } from '@souk/contract/utc-day.ts';
import { formatDay, formatMoment, formatTime } from './amount.ts';
import { formatDistance } from './distance.ts';
import { useTick } from '../use-tick.ts';

/** A moment as its day; the time is in its tooltip. */
export function Day({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment)} className="whitespace-nowrap tabular-nums">
      {formatDay(moment)}
    </time>
  );
}

/** The day of the UTC calendar on which something happens for everyone at once; the reader's time is in its tooltip. */
export function UtcDay({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment)} className="whitespace-nowrap tabular-nums">
      {utcDayText(moment)}
    </time>
  );
}

/** A moment as its day with its time beside it. */
export function DayAndTime({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} className="tabular-nums">
      <span className="whitespace-nowrap">{formatDay(moment)}</span>,{' '}
      <span className="whitespace-nowrap">{formatTime(moment)}</span>
    </time>
  );
}

/** How long ago a moment was, also while the page stays open; the time is in its tooltip. */
export function Ago({ moment }: { moment: string }) {
  useTick();
  return (
    <time dateTime={moment} title={formatMoment(moment)} className="whitespace-nowrap">
      {formatDistance(moment, Date.now())}
    </time>
  );
}
