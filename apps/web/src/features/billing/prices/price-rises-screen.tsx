import { useQuery } from '@tanstack/react-query';
import CircleCheck from 'lucide-react/icons/circle-check';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { ScreenHeading } from '#ui/text/screen-heading.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { SignInFirst } from '#web/navigation/sign-in-first.tsx';
import { LoadError } from '#web/loading/load-error.tsx';
import { CreditWorth } from '../plans/credit-worth.tsx';
import { priceRisesQuery, type NamedTool } from '../queries.ts';
import { AnnouncedPrices } from './announced-prices.tsx';
import { PriceRises } from './price-rises.tsx';

export type PriceRisesScreenProps = {
  userId: string | undefined;
  named: NamedTool | undefined;
  isRestoring: boolean;
  onSignIn: () => Promise<void>;
};

/**
 * /prices: raised prices that wait for the user's approval. Assistants show links to it when such a price stops a call.
 */
export function PriceRisesScreen({ userId, named, isRestoring, onSignIn }: PriceRisesScreenProps) {
  return (
    <>
      <ScreenTitle title="Price changes" />
      <ScreenHeading
        title="Price changes"
        subtitle="A call never costs more than you agreed to. If a tool's price rises, its calls stop until you approve the new price here."
      />
      {isRestoring ? (
        <Loading />
      ) : userId === undefined ? (
        <SignInFirst onSignIn={onSignIn} />
      ) : (
        <OwnPrices userId={userId} named={named} />
      )}
    </>
  );
}

const Loading = () => <ListSkeleton label="Loading price changes…" />;

function OwnPrices({ userId, named }: { userId: string; named: NamedTool | undefined }) {
  const list = useQuery(priceRisesQuery(userId, named));
  // cached data stays if it cannot be refetched
  if (!list.data) {
    return list.error ? <LoadError title="Failed to load price changes" query={list} /> : <Loading />;
  }
  const { rises, coming } = list.data;
  return (
    <div className="flex flex-col gap-10">
      <CreditWorth className="text-[0.8125rem] text-quiet tabular-nums" />
      <PriceRises userId={userId} rises={rises} whenNone={<NothingWaits />} />
      {coming.length > 0 && <AnnouncedPrices coming={coming} />}
    </div>
  );
}

function NothingWaits() {
  return (
    <EmptyState
      icon={<CircleCheck aria-hidden />}
      title="Nothing to approve"
      text="You've approved the price of every tool you use."
      actions={<LinkButton to="/dashboard">Go to the dashboard</LinkButton>}
    />
  );
}
