import { useQuery } from '@tanstack/react-query';
import Plus from 'lucide-react/icons/plus';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ErrorState } from '#ui/state/error-state.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { SectionHeading } from '#ui/text/section-heading.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { AddOffer } from './add-offer.tsx';
import { OfferPage } from './offer-page.tsx';
import { adminOffersQuery } from './offer-queries.ts';
import { OfferList } from './offer-list.tsx';

/** 'Offers': the plans and credit packages of the shop, edited here. */
export function OffersTab(props: AdminPartProps) {
  const { userId, search, onSearchChange } = props;
  const { data, error, isFetching, refetch } = useQuery(adminOffersQuery(userId));
  if (search.offer !== undefined) return <OfferPage key={search.offer} {...props} offerId={search.offer} />;
  if (!data) {
    return error ? (
      <ErrorState title={failureText(error)} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <ListSkeleton label="Loading offers…" rows={6} />
    );
  }
  const { offers, currency } = data;
  if (search.add !== undefined)
    return <AddOffer key={search.add} {...props} kind={search.add} offers={offers} currency={currency ?? 'USD'} />;
  const sold = offers.filter(({ active }) => active);
  const archived = offers.filter(({ active }) => !active);
  const ofKind = (kind: 'plan' | 'package') => sold.filter(({ fields }) => fields.kind === kind);
  const add = (kind: 'plan' | 'package') => (
    <Button icon={<Plus aria-hidden size={16} />} onClick={() => onSearchChange({ tab: 'offers', add: kind }, 'push')}>
      {kind === 'plan' ? 'New plan' : 'New package'}
    </Button>
  );
  return (
    <div className="flex flex-col gap-10">
      {error && <Notice tone="bad">{failureText(error)}</Notice>}
      {!data.isSelling && (
        <Notice>Nothing is sold here (PAYMENTS=off). Offers can be prepared, and people see the plans.</Notice>
      )}
      <section aria-labelledby="admin-plans" className="flex flex-col gap-4">
        <SectionHeading id="admin-plans" title="Plans" actions={add('plan')} />
        <OfferList label="Plans for sale" offers={ofKind('plan')} />
      </section>
      <section aria-labelledby="admin-packages" className="flex flex-col gap-4">
        <SectionHeading id="admin-packages" title="Credit packages" actions={add('package')} />
        {ofKind('package').length > 0 ? (
          <OfferList label="Packages for sale" offers={ofKind('package')} />
        ) : (
          <EmptyState title="No credit package is sold" text="Add one so that people can buy credits." />
        )}
      </section>
      {archived.length > 0 && (
        <section aria-labelledby="admin-archived" className="flex flex-col gap-4">
          <SectionHeading
            id="admin-archived"
            title="Archived"
            text="These can't be bought. People who have one keep it. Open one to bring it back."
          />
          <OfferList label="Archived offers" offers={archived} />
        </section>
      )}
    </div>
  );
}
