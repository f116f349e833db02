import type { OwnedStatus } from '@souk/contract/billing/billing.ts';
import type { ReactNode } from 'react';
import { StatusBadge, type StatusTone } from '#ui/state/status-badge.tsx';
import { TextLink } from '#ui/text/text-link.tsx';

const tones: Record<OwnedStatus, StatusTone> = { active: 'good', canceled: 'idle', past_due: 'bad', unpaid: 'bad' };
const statusTexts: Record<OwnedStatus, string> = {
  active: 'active',
  canceled: 'canceled',
  past_due: 'payment failed',
  unpaid: 'not paid',
};

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

/** Links the service, unless it is no longer offered and has no page. */
export function ServiceName({ mcpId, name, isOffered }: { mcpId: string; name: string; isOffered: boolean }) {
  if (!isOffered) return name;
  return (
    <TextLink dir="auto" to="/service/$serviceId" params={{ serviceId: mcpId }}>
      {name}
    </TextLink>
  );
}
