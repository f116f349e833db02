import { useState } from 'react';
import { Facts } from '#ui/text/facts.tsx';
import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { CardList } from '#ui/card.tsx';
import { CancelRentalDialog } from '../cancel/cancel-rental-dialog.tsx';
import { ResumeRental } from '../cancel/resume-rental.tsx';
import { OwnedRow, ServiceName } from './owned-row.tsx';
import { whenCharged } from './when-charged.ts';
import type { OwnRental } from '../overlap/included-rentals.ts';

type RentalsProps = { userId: string; rentals: readonly OwnRental[]; title?: string };

export function Rentals({ userId, rentals, title = 'Your rentals' }: RentalsProps) {
  const [ending, setEnding] = useState<OwnRental>();
  if (rentals.length === 0) return null;
  return (
    <TitledSection id="rentals-heading" title={title}>
      <CardList aria-label="Rentals">
        {rentals.map((rental) => (
          <OwnedRow
            key={rental.id}
            name={<ServiceName {...rental} />}
            status={rental.status}
            when={
              <Facts>
                {whenCharged(
                  'Rental',
                  { ...rental, status: shownStatus(rental), periodEnd: rental.endDate },
                  Date.now(),
                )}
              </Facts>
            }
            actions={<Actions userId={userId} rental={rental} onCancel={() => setEnding(rental)} />}
          />
        ))}
      </CardList>
      <CancelRentalDialog
        userId={userId}
        service={ending && { id: ending.mcpId, name: ending.name, endsAt: ending.endDate, status: ending.status }}
        onClose={() => setEnding(undefined)}
      />
    </TitledSection>
  );
}

/**
 * A rental of a server that is no longer offered ends with its period, even before the payment provider has confirmed
 * it.
 */
const shownStatus = ({ status, isOffered }: OwnRental) => (status === 'active' && !isOffered ? 'canceled' : status);

function Actions({ userId, rental, onCancel }: { userId: string; rental: OwnRental; onCancel: () => void }) {
  const { mcpId, name, status, source, isOffered } = rental;
  if (source === 'administrator') return null;
  if (status !== 'canceled')
    return (
      <Button size="small" onPointerEnter={preloadDialog} onClick={onCancel}>
        {status === 'active' ? 'Cancel Rental' : 'End now'}
        <span className="sr-only"> of {name}</span>
      </Button>
    );
  if (!isOffered) return null;
  return <ResumeRental userId={userId} service={{ id: mcpId, name }} />;
}
