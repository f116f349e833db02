import { formatDay, formatMoment } from './amount.ts';
import { formatDistance } from './distance.ts';

/** A moment as its day; the time is in its tooltip. */
export function Day({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment)} className="whitespace-nowrap tabular-nums">
      {formatDay(moment)}
    </time>
  );
}

/** How long ago a moment was; the time is in its tooltip. */
export function Ago({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment)} className="whitespace-nowrap">
      {formatDistance(moment, Date.now())}
    </time>
  );
}
