import { formatMoment } from '#ui/text/amount.ts';

/** A moment as its date and time, on one line. */
export function At({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} className="whitespace-nowrap tabular-nums">
      {formatMoment(moment)}
    </time>
  );
}
