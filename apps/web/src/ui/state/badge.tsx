import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';

export type BadgeTone = 'neutral' | 'accent' | 'good' | 'bad';

const tones: Readonly<Record<BadgeTone, string>> = {
  neutral: 'bg-idle-soft text-quiet',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
};

export const badgeShape =
  'inline-flex h-5.5 shrink-0 items-center gap-1 rounded-full px-2 text-xs font-medium whitespace-nowrap';

type BadgeProps = { tone?: BadgeTone; icon?: ReactNode; children: ReactNode };

/** A short word about something. Tiers and states have badges of their own. */
export function Badge({ tone = 'neutral', icon, children }: BadgeProps) {
  return (
    <span className={classNames(badgeShape, tones[tone])}>
      {icon}
      {children}
    </span>
  );
}
