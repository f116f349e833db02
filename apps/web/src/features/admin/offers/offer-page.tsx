import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ErrorState } from '#ui/state/error-state.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { BackToOffers } from './back-to-offers.tsx';
import { OfferEditor } from './offer-editor.tsx';
import { OfferHistory } from './offer-history.tsx';
import { OfferSubscribers } from './offer-subscribers.tsx';
import { adminOfferQuery, adminOffersQuery, isUnknownOffer } from './offer-queries.ts';

/** The page of one plan or credit package, in the place of the list. */
export function OfferPage(props: AdminPartProps & { offerId: string }) {
  const { userId, offerId, signInAgain } = props;
  const one = useQuery(adminOfferQuery(userId, offerId));
  const all = useQuery(adminOffersQuery(userId));
  const error = one.error ?? all.error;
  return (
    <>
      <BackToOffers />
      {one.data && all.data ? (
        <div className="flex flex-col gap-10">
          <ScreenTitle title={`${one.data.offer.fields.name} - Administration`} />
          <OfferEditor userId={userId} shown={one.data} all={all.data} />
          {one.data.offer.fields.kind === 'plan' && one.data.offer.fields.amount > 0 && (
            <OfferSubscribers userId={userId} shown={one.data} signInAgain={signInAgain} />
          )}
          <OfferHistory history={one.data.history} />
        </div>
      ) : isUnknownOffer(one.error) ? (
        <EmptyState
          title="There is no such offer"
          text={
            <>
              No plan or package has the id <code className="font-mono wrap-anywhere">{offerId}</code>.
            </>
          }
        />
      ) : error ? (
        <ErrorState
          title={failureText(error)}
          onRetry={() => void Promise.all([one.refetch(), all.refetch()])}
          retrying={one.isFetching || all.isFetching}
        />
      ) : (
        <ListSkeleton label="Loading the offer…" rows={6} />
      )}
    </>
  );
}
