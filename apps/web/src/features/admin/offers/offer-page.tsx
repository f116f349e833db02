import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import type { AdminPartProps } from '../admin-screen.tsx';
import { BackLink } from '../back-link.tsx';
import { NotLoaded } from '../not-loaded.tsx';
import { OfferEditor } from './offer-editor.tsx';
import { OfferHistory } from './offer-history.tsx';
import { OfferSubscribers } from './offer-subscribers.tsx';
import { adminOfferQuery, adminOffersQuery, isUnknownOffer } from './offer-queries.ts';

export function OfferPage(props: AdminPartProps & { offerId: string }) {
  const { userId, offerId, signInAgain } = props;
  const one = useQuery(adminOfferQuery(userId, offerId));
  const all = useQuery(adminOffersQuery(userId));
  return (
    <>
      <BackLink search={{ tab: 'offers' }}>All offers</BackLink>
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
      ) : (
        <NotLoaded
          query={{
            error: one.error ?? all.error,
            refetch: () => Promise.all([one.refetch(), all.refetch()]),
            isFetching: one.isFetching || all.isFetching,
          }}
          label="Loading the offer…"
          rows={6}
        />
      )}
    </>
  );
}
