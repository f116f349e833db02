import { tiers } from '@souk/contract/tiers.ts';
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { TierBadge } from '#ui/state/tier-badge.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { sells } from '#web/config.ts';
import { noSubscription, subscriptionQuery } from '../queries.ts';
import { compactCredits } from './compact-credits.ts';
import { linkText, welcomeText } from './link-text.ts';

/** The user's highest tier and credits, in the dashboard's header. */
export function AccountSummary({ userId }: { userId: string }) {
  const { data, isPending } = useQuery({ ...subscriptionQuery(userId), refetchOnMount: 'always' });
  if (isPending) return <Skeleton className="mb-6 h-20.5 w-full rounded-lg max-sm:min-h-28" />;
  const { activeTiers, credits, subscription } = data ?? noSubscription;
  const highest = activeTiers.at(-1) ?? 'T0';
  const others = activeTiers.slice(0, -1);
  const welcome = credits.parts.find(({ isWelcome }) => isWelcome)?.credits ?? 0;
  return (
    <Card
      as="section"
      aria-label="Tier and credits"
      className="mb-6 flex flex-wrap items-center max-sm:min-h-28 justify-between gap-x-8 gap-y-3 sm:px-5"
    >
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2">
          <TierBadge tier={highest} />
          {others.length > 0 && (
            <span className="text-[0.8125rem] text-quiet">
              {others.length === 1 ? '+1 more tier' : `+${others.length} more tiers`}:{' '}
              {others.map((tier) => tiers[tier].name).join(', ')}
            </span>
          )}
        </div>
        <p className="mt-1 text-quiet wrap-anywhere">
          {linkText(highest, subscription)}
          {sells && welcome > 0 && ` ${welcomeText(welcome, credits.available)}`}
        </p>
      </div>
      {sells && (
        <p className="text-quiet sm:text-right">
          <Tooltip text={`${formatCount(credits.available)} credits`}>
            <TextLink
              to="/dashboard"
              search={{ tab: 'billing' }}
              tone="quiet"
              className="text-xl/7 font-semibold tracking-tight text-text! tabular-nums"
            >
              {compactCredits(credits.available)}
            </TextLink>
          </Tooltip>
          <span className="max-sm:ml-1.5 sm:block">{credits.available === 1 ? 'credit' : 'credits'}</span>
        </p>
      )}
    </Card>
  );
}
