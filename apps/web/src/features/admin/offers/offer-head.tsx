import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Day } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import type { AskedChange } from './review-dialog.tsx';
import type { ShownOffer } from './offer-queries.ts';

export function OfferHead({
  shown: { offer },
  isFree,
  onAsk,
}: {
  shown: ShownOffer;
  isFree: boolean;
  onAsk: (asked: AskedChange) => void;
}) {
  const { fields, offerId, active, edited, file, provider } = offer;
  const { name } = fields;
  const resetToFile = () =>
    onAsk({ title: `Reset ${name} to offers.json`, label: 'Reset', change: { type: 'take-file' } });
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-60">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h2 dir="auto" className="text-xl/7 font-semibold tracking-tight wrap-anywhere">
              {name}
            </h2>
            <code className="font-mono text-[0.8125rem] wrap-anywhere text-quiet">{offerId}</code>
            {!active && <Badge>Archived</Badge>}
            {fields.popular && <Badge tone="accent">Most Popular</Badge>}
          </div>
          <p className="mt-1 text-quiet">
            {edited ? (
              <>
                Edited here on <Day moment={edited.at} />
                {edited.by !== null && ` by ${edited.by}`}.{' '}
                {file === 'absent' ? 'It isn’t in offers.json.' : 'offers.json no longer changes it.'}
              </>
            ) : (
              'Comes from offers.json, which changes it at each start. Once you edit it here, the file no longer does.'
            )}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {edited && file !== 'absent' && <Button onClick={resetToFile}>Reset to offers.json</Button>}
          {active && !isFree && (
            <Button
              onClick={() =>
                onAsk({ title: `Archive ${name}`, label: 'Archive', variant: 'danger', change: { type: 'archive' } })
              }
            >
              Archive
            </Button>
          )}
          {!active && (
            <Button
              variant="primary"
              onClick={() => onAsk({ title: `Bring ${name} back`, label: 'Bring back', change: { type: 'restore' } })}
            >
              Bring back
            </Button>
          )}
        </div>
      </div>
      {provider === 'waiting' && (
        <Notice>
          Saved. Souk is sending this price to the payment provider. Until it answers, {name} can’t be bought; Souk
          keeps retrying.
        </Notice>
      )}
    </>
  );
}
