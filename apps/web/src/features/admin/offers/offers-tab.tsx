import { useQuery } from '@tanstack/react-query';
import Plus from 'lucide-react/icons/plus';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { NotLoaded } from '../not-loaded.tsx';
import { Section } from '../section.tsx';
import { AddOffer } from './add-offer.tsx';
import { OfferPage } from './offer-page.tsx';
import { adminOffersQuery } from './offer-queries.ts';
import { OfferList } from './offer-list.tsx';

export function OffersTab(props: AdminPartProps) {
  const { userId, search, onSearchChange } = props;
  const query = useQuery(adminOffersQuery(userId));
  if (search.offer !== undefined) return <OfferPage key={search.offer} {...props} offerId={search.offer} />;
  if (!query.data) return <NotLoaded query={query} label="Loading offers…" rows={6} />;
  const { offers, currency, isSelling } = query.data;
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
      {query.error && <Notice tone="bad">{failureText(query.error)}</Notice>}
      {!isSelling && (
        <Notice>Nothing is sold here (PAYMENTS=off). You can prepare offers, and people see the plans.</Notice>
      )}
      <Section id="admin-plans" gap="gap-4" title="Plans" actions={add('plan')}>
        <OfferList label="Plans for sale" offers={ofKind('plan')} />
      </Section>
      <Section id="admin-packages" gap="gap-4" title="Credit packages" actions={add('package')}>
        {ofKind('package').length > 0 ? (
          <OfferList label="Packages for sale" offers={ofKind('package')} />
        ) : (
          <EmptyState title="No credit package is sold" text="Add one so that people can buy credits." />
        )}
      </Section>
      {archived.length > 0 && (
        <Section
          id="admin-archived"
          gap="gap-4"
          title="Archived"
          text="These can't be bought. People who have one keep it. Open one to bring it back."
        >
          <OfferList label="Archived offers" offers={archived} />
        </Section>
      )}
    </div>
  );
}
