import type { getAdminOffer } from '@souk/contract/admin/offers.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import { formatMoment } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { Section } from '../section.tsx';

const actions: Readonly<Record<string, string>> = {
  'offer.created': 'Added',
  'offer.changed': 'Edited',
  'offer.archived': 'Archived',
  'offer.restored': 'Brought back',
  'offer.file-taken': 'Reset to offers.json',
  'offer.move-started': 'Move of subscribers started',
  'offer.moved': 'Move of subscribers ended',
  'offer.move-stopped': 'Move of subscribers stopped',
};

/** Changes of an offer, newest first. */
export function OfferHistory({ history }: Pick<Answer<typeof getAdminOffer>, 'history'>) {
  return (
    <Section id="offer-history" gap="gap-4" title="History">
      {history.length === 0 ? (
        <p className="text-quiet">It is unchanged from offers.json.</p>
      ) : (
        <Card padding="none">
          <ul aria-label="History" className="divide-y divide-line">
            {history.map(({ at, by, action, reason, changes }, index) => (
              // the same change can happen twice in the same millisecond
              // oxlint-disable-next-line react/no-array-index-key
              <li key={`${at} ${action} ${index}`} className="flex flex-col gap-1 px-4 py-3">
                <p className="flex flex-wrap items-baseline justify-between gap-x-4">
                  <span className="font-medium">{actions[action] ?? action}</span>
                  <span className="text-[0.8125rem] text-quiet">
                    <time dateTime={at}>{formatMoment(at)}</time>
                    {by !== null && `, ${by}`}
                  </span>
                </p>
                {changes.map((change) => (
                  <p key={change} className="wrap-anywhere">
                    {change}
                  </p>
                ))}
                {reason !== null && <p className="wrap-anywhere text-quiet">Reason: {reason}</p>}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Section>
  );
}
