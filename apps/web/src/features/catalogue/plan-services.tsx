import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { tiers, tiersUpTo, type Tier } from '@souk/contract/tiers.ts';
import { useQueries } from '@tanstack/react-query';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Icon } from '#ui/picture/icon.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { callsOfCredits } from './home/calls-of-credits.ts';
import { keysOf } from './marketplace/marketplace-search.ts';
import { serversQuery } from './queries.ts';

/** Services listed by name per plan, of its own tier. The marketplace lists all of them. */
const named = 6;

/** The services of one tier, fetched once for all plans. */
const planServicesQuery = (tier: Tier) => ({
  ...serversQuery({ tier, pageSize: named, sort: 'popular' }),
  refetchInterval: false as const,
});

/** Returns whether the services of any plan are still loading, for a page that waits for them so that nothing moves. */
export function useArePlanServicesPending(): boolean {
  return useQueries({ queries: keysOf(tiers).map(planServicesQuery) }).some(({ isPending }) => isPending);
}

/**
 * The contents of a plan: the services of its tier by icon and name, the number of those in lower tiers, and what its
 * credits buy.
 */
export function PlanServices({ plan }: { plan: { name: string; tier: Tier; monthlyCredits: number } }) {
  const covered = tiersUpTo(plan.tier);
  const answers = useQueries({ queries: covered.map(planServicesQuery) });
  // the rest of the plan is shown without them
  if (answers.some(({ isError }) => isError)) return null;
  const pages = answers.flatMap(({ data }) => data ?? []);
  const own = pages[covered.length - 1];
  if (!own) return null;
  const lower = pages.slice(0, -1).reduce((sum, { pagination }) => sum + pagination.total, 0);
  const rest = own.pagination.total - own.servers.length;
  const enough = callsOfCredits(
    pages.flatMap(({ servers }) => servers),
    plan.monthlyCredits,
  );
  return (
    <>
      {enough !== undefined && <p className="mt-2 text-[0.8125rem] text-quiet">{enough}</p>}
      <ul aria-label={`Services of the ${plan.name} plan`} className="mt-4 space-y-2 border-t border-line pt-4">
        {own.servers.map((server) => (
          <li key={server.serverId}>
            <NamedService server={server} />
          </li>
        ))}
        {rest > 0 && (
          <li>
            <TextLink to="/marketplace" search={{ tier: plan.tier }}>
              {counted(rest, 'more service')}
              <span className="sr-only"> of tier {tiers[plan.tier].name}</span>
            </TextLink>
          </li>
        )}
        {lower > 0 && (
          <li className="text-[0.8125rem] text-quiet">
            {own.servers.length > 0 ? 'and ' : ''}
            {lower === 1 ? 'the service' : `all ${formatCount(lower)} services`} of lower tiers
          </li>
        )}
        {own.pagination.total + lower === 0 && <li className="text-quiet">No services yet.</li>}
      </ul>
    </>
  );
}

function NamedService({ server }: { server: ServerAnswer }) {
  const { serverId, displayName, metadata } = server;
  return (
    <TextLink
      to="/service/$serviceId"
      params={{ serviceId: serverId }}
      tone="quiet"
      className="flex items-center gap-2 py-0.5"
    >
      <Icon id={serverId} name={displayName} src={metadata.icon} size={20} />
      <span dir="auto" className="truncate text-text" title={displayName}>
        {displayName}
      </span>
    </TextLink>
  );
}
