import type { getRentalOptions } from '@souk/contract/billing/billing.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { formatDay } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { useCheckout, type Purchase } from '../checkout.ts';
import { purchaseFailure } from '../failure-texts.ts';
import { rentalOptionsQuery } from '../queries.ts';
import { ReplacesUnpaid } from '../replaces-unpaid.tsx';
import { DownChoice } from './down-choice.tsx';
import { Owned, ownedReason } from './owned.tsx';
import { RentalOverlap } from './rental-overlap.tsx';
import { RentalOffer } from './rental-offer.tsx';

export type PurchaseDialogProps = {
  userId: string;
  service: { id: string; name: string; features: readonly string[] };
  /** The kind of purchase: a rental, the only kind that is sold here. An address may ask for another. */
  type?: string | undefined;
  open: boolean;
  onClose: () => void;
};

/** Shows what a rental costs and includes, and leads to the payment page. For services with billing. */
export function PurchaseDialog({ userId, service, type = 'rental', open, onClose }: PurchaseDialogProps) {
  const options = useQuery({
    ...rentalOptionsQuery(userId, service.id),
    enabled: open,
    // a service may go down or recover while the dialog is open
    refetchInterval: 15_000,
  });
  const [acceptedSince, setAcceptedSince] = useState<string>();
  const safe = useRef<HTMLButtonElement>(null);
  const checkout = useCheckout(userId);
  const { data } = options;
  const down = data?.down ?? undefined;
  const isWanted = down === undefined || acceptedSince === down.since;
  const mayRent = type === 'rental' && data !== undefined && ownedReason(data.access, service.name) === undefined;
  const rental = mayRent ? (data.rental ?? undefined) : undefined;
  const purchase: Purchase | undefined = rental && {
    type: 'rental',
    mcpId: service.id,
    period: 'monthly',
    shownAmount: rental.price,
    shownDown: down !== undefined,
  };
  const close = () => {
    if (checkout.isPending) return;
    checkout.reset();
    setAcceptedSince(undefined);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={`Rent ${service.name}`}
      initialFocus={safe}
      description={rental?.description}
      footer={
        purchase ? (
          <>
            <Button ref={safe} onClick={close}>
              Not now
            </Button>
            <Button
              variant="primary"
              loading={checkout.isPending}
              disabled={!isWanted}
              onClick={() => checkout.mutate(purchase)}
            >
              Continue to payment
            </Button>
          </>
        ) : (
          <Button ref={safe} onClick={close}>
            Close
          </Button>
        )
      }
    >
      {type === 'rental' ? (
        <Options
          userId={userId}
          service={service}
          options={options}
          isWanted={isWanted}
          onWant={(wants) => setAcceptedSince(wants ? down?.since : undefined)}
        />
      ) : (
        <Notice tone="bad">Unsupported purchase type</Notice>
      )}
      {checkout.isError && purchase && (
        <div className="mt-4">
          <Notice tone="bad">{purchaseFailure(checkout.error)}</Notice>
        </div>
      )}
    </Dialog>
  );
}

type OptionsProps = Pick<PurchaseDialogProps, 'userId' | 'service'> & {
  options: UseQueryResult<AnswerOutput<typeof getRentalOptions>>;
  /** The service is up, or the user wants it anyway. */
  isWanted: boolean;
  onWant: (wants: boolean) => void;
};

function Options({ userId, service, options, isWanted, onWant }: OptionsProps) {
  const { data, error, isFetching, refetch } = options;
  if (!data) {
    return error ? (
      <Notice
        tone="bad"
        action={
          <Button size="small" loading={isFetching} onClick={() => void refetch()}>
            Retry
          </Button>
        }
      >
        {failureText(error)}
      </Notice>
    ) : (
      <DelayedFallback label="Loading the price…">
        <Skeleton className="h-8 w-40" />
        <Skeleton className="mt-4 h-4 w-full" />
        <Skeleton className="mt-2 h-4 w-3/5" />
      </DelayedFallback>
    );
  }
  const { access, down, rental, creditsAvailable } = data;
  const owned = ownedReason(access, service.name);
  if (owned !== undefined) return <Owned text={owned} access={access} />;
  if (!rental) return <Notice>{service.name} can't be rented.</Notice>;
  return (
    <>
      {down && <DownChoice name={service.name} down={down} accepted={isWanted} onChange={onWant} />}
      {access.accessType === 'trial' && access.expiresAt !== null && (
        <div className="mb-5">
          <Notice>
            Your trial runs until {formatDay(access.expiresAt)}. The rental starts as soon as you pay, and the remaining
            days of the trial are not added to it.
          </Notice>
        </div>
      )}
      <div className="mb-5 empty:hidden">
        <ReplacesUnpaid userId={userId} serverId={service.id} />
      </div>
      <RentalOverlap userId={userId} service={service} access={access} />
      <RentalOffer service={service} rental={rental} creditsAvailable={creditsAvailable} />
    </>
  );
}
