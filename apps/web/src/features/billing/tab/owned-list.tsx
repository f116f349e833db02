import type { OwnedStatus } from '@souk/contract/billing/billing.ts';
import type { ReactNode } from 'react';
import { Card } from '#ui/card.tsx';
import { StatusBadge, type StatusTone } from '#ui/state/status-badge.tsx';

const tones: Record<OwnedStatus, StatusTone> = { active: 'good', canceled: 'idle', past_due: 'bad', unpaid: 'bad' };
const statusTexts: Record<OwnedStatus, string> = {
  active: 'active',
  canceled: 'canceled',
  past_due: 'payment failed',
  unpaid: 'not paid',
};

export function OwnedList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Card padding="none">
      <ul aria-label={label} className="divide-y divide-line">
        {children}
      </ul>
    </Card>
  );
}

export type OwnedRowProps = {
  name: ReactNode;
  status: OwnedStatus;
  /** The next charge, or what happens instead. */
  when: ReactNode;
  actions?: ReactNode;
};

/** A plan or rental: its name, its status, what happens next, and what the user can do. */
export function OwnedRow({ name, status, when, actions }: OwnedRowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-3 px-4 py-4 sm:px-5">
      <div className="min-w-0 flex-1 basis-60">
        <div className="flex flex-wrap items-center gap-2">
          <h3 dir="auto" className="font-medium wrap-anywhere">
            {name}
          </h3>
          <StatusBadge status={statusTexts[status]} tone={tones[status]} />
        </div>
        <div className="mt-0.5 text-quiet">{when}</div>
      </div>
      {actions}
    </li>
  );
}
