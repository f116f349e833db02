import { useQuery } from '@tanstack/react-query';
import Tag from 'lucide-react/icons/tag';
import { Faq } from '#ui/accordion.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ScreenHeading } from '#ui/text/screen-heading.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { LoadError } from '#web/loading/load-error.tsx';
import { offersQuery } from '../queries.ts';
import { Offers, type OffersProps } from './offers.tsx';
import { planQuestions } from './plan-questions.ts';
import { PlansPlaceholder } from './plans-placeholder.tsx';

export type PlansScreenProps = Pick<OffersProps, 'shopper' | 'buy' | 'services' | 'onTaken' | 'onSignIn'> & {
  /** The user or the services of the plans are still loading; they would move the buttons when they appear. */
  isLoading: boolean;
};

export function PlansScreen(props: PlansScreenProps) {
  const offers = useQuery(offersQuery);
  return (
    <>
      <ScreenTitle title="Plans" />
      <ScreenHeading
        title="Choose Your Plan"
        subtitle="A plan includes services and credits each month. Credits pay for the calls that have a price; cancel whenever you like."
      />
      {offers.isPending || props.isLoading ? (
        <PlansPlaceholder />
      ) : offers.isError ? (
        <LoadError title="Failed to load plans" query={offers} />
      ) : offers.data.plans.length + offers.data.packages.length === 0 ? (
        <EmptyState
          icon={<Tag aria-hidden />}
          title="No plans yet"
          text="Nothing is sold here at the moment. Free services work without a plan."
          actions={
            <LinkButton to="/marketplace" search={{ price: 'free' }}>
              Browse free services
            </LinkButton>
          }
        />
      ) : (
        <Offers {...props} {...offers.data} />
      )}
      <Faq items={planQuestions} />
    </>
  );
}
