import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import Info from 'lucide-react/icons/info';
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';

const looks = {
  info: { Icon: Info, colors: 'bg-accent-soft text-text', icon: 'text-accent' },
  good: { Icon: CircleCheck, colors: 'bg-good-soft text-text', icon: 'text-good' },
  bad: { Icon: CircleAlert, colors: 'bg-bad-soft text-text', icon: 'text-bad' },
} as const;

export type NoticeProps = {
  /** bad is announced immediately (role=alert), the others politely. */
  tone?: 'info' | 'good' | 'bad' | undefined;
  action?: ReactNode;
  children: ReactNode;
};

/** A message about its part of the page, such as a failed form. */
export function Notice({ tone = 'info', action, children }: NoticeProps) {
  const { Icon, colors, icon } = looks[tone];
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={classNames('flex items-start gap-2.5 rounded-md border border-transparent px-3 py-2.5', colors)}
    >
      <Icon aria-hidden size={16} className={classNames('mt-0.5 shrink-0', icon)} />
      <div className="min-w-0 flex-1 wrap-anywhere">{children}</div>
      {action}
    </div>
  );
}
