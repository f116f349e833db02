import type { Plan } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { formatDay } from '#ui/text/amount.ts';
import { Notice } from '#ui/state/notice.tsx';
import { myServicesQuery } from '../queries.ts';
import { includes } from './included-rentals.ts';

export function TrialsInPlan({ userId, plan }: { userId: string; plan: Pick<Plan, 'name' | 'tier'> }) {
  const { data } = useQuery(myServicesQuery(userId));
  const tried = (data?.services ?? []).flatMap(
    ({ id, name, billing, userAccess: { accessType, expiresAt, plan: own } }) =>
      accessType === 'trial' &&
      expiresAt !== null &&
      (!own || own.isCancelled) &&
      includes(plan.tier, billing?.tier ?? null)
        ? [{ id, name, day: formatDay(expiresAt) }]
        : [],
  );
  const [first] = tried;
  if (!first) return null;
  const isOne = tried.length === 1;
  return (
    <Notice>
      {tried.map(({ id, name, day }) => (
        <span key={id}>
          Your trial of <bdi>{name}</bdi> runs until {day}.{' '}
        </span>
      ))}
      {plan.name} includes {isOne ? <bdi>{first.name}</bdi> : 'these services'} as soon as you pay, and the remaining
      days of the {isOne ? 'trial' : 'trials'} are not added to it.
    </Notice>
  );
}
