import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { useState } from 'react';

import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { monthlyChargeText } from '#web/texts/charge-text.ts';
import { CancelRentalDialog } from '../cancel/cancel-rental-dialog.tsx';
import { endingText, untilText } from '../overlap/overlap-texts.ts';
import { rentalsEndingInPlan, rentalsPaidTwice } from '../overlap/rentals-paid-twice.ts';

/** Says which rentals the user's plan includes: those paid twice, with a Cancel button, and those that end. */
export function PaidTwice({ userId, owned }: { userId: string; owned: SubscriptionAnswer['subscription'] }) {
  const [endingId, setEndingId] = useState<string>();
  const twice = rentalsPaidTwice(owned);
  const ending = owned.rentals.find(({ id }) => id === endingId);
  return (
    <>
      {twice.map(({ rental: { id, name, charge }, plan, until }) => (
        <Notice
          key={id}
          action={
            <Button size="small" onPointerEnter={preloadDialog} onClick={() => setEndingId(id)}>
              Cancel Rental<span className="sr-only"> of {name}</span>
            </Button>
          }
        >
          <strong className="font-medium">
            You pay twice for <bdi>{name}</bdi>.
          </strong>{' '}
          Your {plan} plan includes it{untilText(until)}, and you rent it
          {charge && ` for ${monthlyChargeText(charge)}`} as well.
        </Notice>
      ))}
      {rentalsEndingInPlan(owned).map((one) => (
        <Notice key={one.rental.id}>{endingText(one)}</Notice>
      ))}
      <CancelRentalDialog
        userId={userId}
        service={ending && { id: ending.mcpId, name: ending.name, endsAt: ending.endDate, status: ending.status }}
        onClose={() => setEndingId(undefined)}
      />
    </>
  );
}
