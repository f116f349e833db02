import { useQuery } from '@tanstack/react-query';
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
import { RentalBesidePlans } from './rental-beside-plans.tsx';
import { RentalOffer } from './rental-offer.tsx';

export type PurchaseDialogProps = {
  userId: string;
  service: { id: string; name: string; features: readonly string[] };
  /** What to buy: a rental, the only kind that people buy here. An address may ask for another. */
  type?: string | undefined;
  open: boolean;
  onClose: () => void;
};

/** What a rental costs and brings, and the way to the payment page. For a service with billing. */
export function PurchaseDialog({ userId, service, type = 'rental', open, onClose }: PurchaseDialogProps) {
  const { data, error, isFetching, refetch } = useQuery({
    ...rentalOptionsQuery(userId, service.id),
    enabled: open,
    // a service may go down or come back while the dialog is open
    refetchInterval: 15_000,
  });
  const [acceptedSince, setAcceptedSince] = useState<string>();
  const safe = useRef<HTMLButtonElement>(null);
  const checkout = useCheckout(userId);
  const rental = data?.rental ?? undefined;
  const owned = data && ownedReason(data.access, service.name);
  const unsupported = type === 'rental' ? undefined : 'Unsupported purchase type';
  const down = data?.down ?? undefined;
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
  const isWanted = down === undefined || acceptedSince === down.since;
  const canPay = purchase !== undefined && owned === undefined && unsupported === undefined;
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={`Rent ${service.name}`}
      initialFocus={safe}
      description={canPay ? rental?.description : undefined}
      footer={
        canPay ? (
          <>
            <Button ref={safe} onClick={close}>
              Not now
            </Button>
            <Button
              variant="primary"
              loading={checkout.isPending}
              disabled={!isWanted}
              onClick={() => isWanted && !checkout.isPending && checkout.mutate(purchase)}
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
      {unsupported !== undefined ? (
        <Notice tone="bad">{unsupported}</Notice>
      ) : data ? (
        owned !== undefined ? (
          <Owned text={owned} access={data.access} />
        ) : rental ? (
          <>
            {down && (
              <DownChoice
                name={service.name}
                down={down}
                accepted={isWanted}
                onChange={(accepted) => setAcceptedSince(accepted ? down.since : undefined)}
              />
            )}
            {data.access.accessType === 'trial' && data.access.expiresAt !== null && (
              <div className="mb-5">
                <Notice>
                  Your trial runs until {formatDay(data.access.expiresAt)}. The rental starts as soon as you pay, and
                  the days that are left of the trial are not added to it.
                </Notice>
              </div>
            )}
            <div className="mb-5 empty:hidden">
              <ReplacesUnpaid userId={userId} serverId={service.id} />
            </div>
            <RentalBesidePlans userId={userId} service={service} access={data.access} />
            <RentalOffer service={service} rental={rental} creditsAvailable={data.creditsAvailable} />
          </>
        ) : (
          <Notice>{service.name} can't be rented.</Notice>
        )
      ) : error ? (
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
      )}
      {checkout.isError && canPay && (
        <div className="mt-4">
          <Notice tone="bad">{purchaseFailure(checkout.error)}</Notice>
        </div>
      )}
    </Dialog>
  );
}
