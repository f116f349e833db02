import { useState } from 'react';
import { formatCount, formatMonthly } from '#ui/text/amount.ts';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { sells } from '#web/config.ts';
import { Section } from '../section.tsx';
import type { SignInAgain } from '../sign-in-again.tsx';
import { endingText, subscribersText } from './subscribers-text.ts';
import type { ShownOffer } from './offer-queries.ts';
import { MoveDialog } from './move-dialog.tsx';
import { MoveProgress } from './move-progress.tsx';

/** Subscribers of a plan by price, and the move of those at an older price. */
export function OfferSubscribers({
  userId,
  shown,
  signInAgain,
}: {
  userId: string;
  shown: ShownOffer;
  signInAgain: SignInAgain;
}) {
  const { offer, prices, moves } = shown;
  const [asked, setAsked] = useState<'move'>();
  const isMoving = moves.some(({ endedAt }) => endedAt === null);
  const canMove = sells && offer.active && offer.olderPrice > 0 && !isMoving && offer.provider === 'known';
  return (
    <Section
      id="offer-subscribers"
      gap="gap-4"
      title="Subscribers"
      text="People keep the price and credits that they subscribed with, until you move them. A plan that was canceled counts until its paid period ends."
      actions={
        canMove && (
          <Button onClick={() => setAsked('move')}>
            Move {subscribersText(offer.olderPrice)} at their next renewal
          </Button>
        )
      }
    >
      {prices.length === 0 ? (
        <p className="text-quiet">No one subscribes to it yet.</p>
      ) : (
        <Card padding="none">
          <ul aria-label="Subscribers by price" className="divide-y divide-line">
            {prices.map(({ amount, currency, monthlyCredits, subscribers, ending, isCurrent }) => (
              <li
                key={`${amount} ${currency} ${monthlyCredits}`}
                className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-3"
              >
                <span className="flex flex-wrap items-center gap-x-3 gap-y-1 tabular-nums">
                  {amount === null || currency === null ? 'Price not known yet' : formatMonthly(amount, currency)}
                  {monthlyCredits !== null && (
                    <span className="text-quiet">{formatCount(monthlyCredits)} credits a month</span>
                  )}
                  {amount !== null && (
                    <Badge tone={isCurrent ? 'good' : 'neutral'}>{isCurrent ? "Today's price" : 'Older price'}</Badge>
                  )}
                </span>
                <span className="tabular-nums">
                  {subscribersText(subscribers)}
                  {ending > 0 && <span className="text-quiet">, {endingText(ending)}</span>}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {moves.map((move) => (
        <MoveProgress key={move.id} move={move} />
      ))}
      <EachOpening asked={asked}>
        {(_, open) => (
          <MoveDialog
            userId={userId}
            offer={offer}
            open={open}
            onClose={() => setAsked(undefined)}
            signInAgain={signInAgain}
          />
        )}
      </EachOpening>
    </Section>
  );
}
