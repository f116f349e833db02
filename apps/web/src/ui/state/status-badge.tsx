import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import type { ReactNode } from 'react';
import { badgeShape } from './badge.tsx';
import { classNames } from '../class-names.ts';

/** good: green tick. idle: gray dashed ring. bad: red exclamation mark. Never color alone. */
export type StatusTone = 'good' | 'idle' | 'bad';

const looks = {
  good: { Icon: CircleCheck, colors: 'bg-good-soft text-good' },
  idle: { Icon: CircleDashed, colors: 'bg-idle-soft text-idle' },
  bad: { Icon: CircleAlert, colors: 'bg-bad-soft text-bad' },
} as const;

/** Returns the tone of a server's status: green for connected, red for error, else gray (spec part 1, section 4). */
export function statusTone(status: string): StatusTone {
  if (status === 'connected') return 'good';
  return status === 'error' ? 'bad' : 'idle';
}

type StatusBadgeProps = {
  status: string;
  tone?: StatusTone | undefined;
  /** In a list: only bad ones have a background, so that they stand out. */
  quiet?: boolean | undefined;
  children?: ReactNode;
};

/** A state as an icon and a word. Without `tone`, `status` is a server's status and decides the tone. */
export function StatusBadge({ status, tone, quiet, children }: StatusBadgeProps) {
  const shown = tone ?? statusTone(status);
  const { Icon, colors } = looks[shown];
  return (
    <span className={classNames(badgeShape, colors, quiet && shown !== 'bad' && 'bg-transparent! px-0!')}>
      <Icon aria-hidden size={13} strokeWidth={2.25} />
      {children ?? status}
    </span>
  );
}
