import { formatMoment } from '#ui/text/amount.ts';

export function At({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} className="whitespace-nowrap tabular-nums">
      {formatMoment(moment)}
    </time>
  );
}
