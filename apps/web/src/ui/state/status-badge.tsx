import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import type { ReactNode } from 'react';
import { badgeShape } from './badge.tsx';
import { classNames } from '../class-names.ts';

/** good: green tick. idle: grey dashed ring. bad: red exclamation mark. Never colour alone. */
export type StatusTone = 'good' | 'idle' | 'bad';

const looks = {
  good: { Icon: CircleCheck, colours: 'bg-good-soft text-good' },
  idle: { Icon: CircleDashed, colours: 'bg-idle-soft text-idle' },
  bad: { Icon: CircleAlert, colours: 'bg-bad-soft text-bad' },
} as const;

/** The tone of a server's status: connected green, error red, anything else grey (spec part 1, section 4). */
export function statusTone(status: string): StatusTone {
  if (status === 'connected') return 'good';
  return status === 'error' ? 'bad' : 'idle';
}

type StatusBadgeProps = {
  status: string;
  tone?: StatusTone | undefined;
  /** Among many: what is good or idle stands without a ground of its own, so that what is bad stands out. */
  quiet?: boolean | undefined;
  children?: ReactNode;
};

/** A state as icon and word. Without `tone`, the word is a server's status and brings its own. */
export function StatusBadge({ status, tone, quiet, children }: StatusBadgeProps) {
  const shown = tone ?? statusTone(status);
  const { Icon, colours } = looks[shown];
  return (
    <span className={classNames(badgeShape, colours, quiet && shown !== 'bad' && 'bg-transparent! px-0!')}>
      <Icon aria-hidden size={13} strokeWidth={2.25} />
      {children ?? status}
    </span>
  );
}
