import { tiers, type Tier } from '@souk/contract/tiers.ts';
import { badgeShape } from './badge.tsx';
import { classNames } from '../class-names.ts';

const colors: Readonly<Record<Tier, string>> = {
  T0: 'bg-t0-soft text-t0',
  T1: 'bg-t1-soft text-t1',
  T2: 'bg-t2-soft text-t2',
  T3: 'bg-t3-soft text-t3',
};

/**
 * A tier's code and name ("T1 Basic") in the tier's color: T0 green, T1 blue, T2 purple, T3 orange.
 * @param props.short shows only the code, and leaves the name to screen readers
 */
export function TierBadge({ tier, short }: { tier: Tier; short?: boolean }) {
  return (
    <span className={classNames(badgeShape, colors[tier])}>
      <span className="font-semibold tabular-nums">{tier}</span>
      <span className={short ? 'sr-only' : ''}>{tiers[tier].name}</span>
    </span>
  );
}
