import type { OfferMove } from '@souk/contract/admin/offers.ts';
import { formatCount, formatMoney } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { subscribersText } from './subscribers-text.ts';

export function MoveProgress({ move }: { move: OfferMove }) {
  const { total, moved, skipped, failed, later, reasons, startedAt, startedBy, endedAt, to } = move;
  const done = moved + skipped + failed;
  const price = to.amount === null || to.currency === null ? '' : ` to ${formatMoney(to.amount, to.currency)}`;
  const facts = [
    `${formatCount(moved)} moved`,
    ...(skipped > 0 ? [`${formatCount(skipped)} left as they were`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(later > 0 ? [`${formatCount(later)} waiting for their renewal`] : []),
  ];
  return (
    <Card className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="font-medium">
          Move of {subscribersText(total)}
          {price}
        </h3>
        <span className="text-[0.8125rem] text-quiet">
          {endedAt === null ? 'Started ' : 'Ended '}
          <Ago moment={endedAt ?? startedAt} />
          {startedBy !== null && `, by ${startedBy}`}
        </span>
      </div>
      {endedAt === null && (
        <progress
          aria-label={`Move of ${subscribersText(total)}`}
          max={total}
          value={done}
          className="h-1.5 w-full overflow-hidden rounded-full accent-accent"
        />
      )}
      <p aria-live="polite" className="text-quiet tabular-nums">
        {facts.join(' · ')}
      </p>
      {reasons.length > 0 && (
        <ul aria-label="Why they were not moved" className="list-disc pl-5 text-[0.8125rem] text-quiet">
          {reasons.map(({ outcome, why, subscribers }) => (
            <li key={`${outcome} ${why}`}>
              {subscribersText(subscribers)} {notMoved(outcome, subscribers)}: {why}.
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function notMoved(outcome: OfferMove['reasons'][number]['outcome'], subscribers: number): string {
  if (outcome === 'failed') return "couldn't be moved";
  return subscribers === 1 ? 'was left as they were' : 'were left as they were';
}
