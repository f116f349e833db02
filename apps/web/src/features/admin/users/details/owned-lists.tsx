import type { UserBilling } from '@souk/contract/admin/billing.ts';
import { useState } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { Stat } from '#ui/picture/stat.tsx';
import { StatusBadge, type StatusTone } from '#ui/state/status-badge.tsx';
import { RemoveDialog } from '../actions/remove-dialog.tsx';
import { nextText, ownedOf, periodText, type BillingUser, type OwnedThing } from '../owned.ts';

const kinds = [
  { kind: 'subscription', title: 'Subscriptions' },
  { kind: 'purchase', title: 'Purchases' },
  { kind: 'rental', title: 'Rentals' },
  { kind: 'trial', title: 'Trials' },
] as const;

export function OwnedLists({ user, billing }: { user: BillingUser; billing: UserBilling }) {
  const owned = ownedOf(billing);
  const [asked, setAsked] = useState<OwnedThing>();
  const hasAny = kinds.some(({ kind }) => owned[kind].length > 0);
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {kinds.map(({ kind, title }) => (
          <Stat key={kind} label={title} value={formatCount(owned[kind].length)} />
        ))}
      </dl>
      {!hasAny && <p className="text-quiet">This user has no subscriptions, purchases, rentals or trials.</p>}
      {kinds.map(
        ({ kind, title }) =>
          owned[kind].length > 0 && (
            <div key={kind}>
              <h4 className="mb-1.5 text-[0.8125rem] font-medium text-quiet">{title}</h4>
              <ul aria-label={title} className="divide-y divide-line rounded-lg border border-line">
                {owned[kind].map((thing) => (
                  <OwnedRow key={thing.id} thing={thing} onRemove={() => setAsked(thing)} />
                ))}
              </ul>
            </div>
          ),
      )}
      <EachOpening asked={asked}>
        {(thing, open) => <RemoveDialog user={user} thing={thing} open={open} onClose={() => setAsked(undefined)} />}
      </EachOpening>
    </>
  );
}

const tones: Readonly<Record<OwnedThing['status'], StatusTone>> = {
  active: 'good',
  canceled: 'idle',
  past_due: 'bad',
  unpaid: 'bad',
};
const statusWords: Readonly<Record<OwnedThing['status'], string>> = {
  active: 'active',
  canceled: 'canceled',
  past_due: 'past due',
  unpaid: 'not paid',
};
const sources: Readonly<Record<OwnedThing['source'], string>> = {
  payment: 'Paid',
  administrator: 'Granted by an administrator',
  person: 'Started by the user',
};

function OwnedRow({ thing, onRemove }: { thing: OwnedThing; onRemove: () => void }) {
  const { name, mcpId, status, every, source, features } = thing;
  const next = nextText(thing);
  return (
    <li className="flex items-start justify-between gap-4 px-3.5 py-3">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2">
          <span dir="auto" className="min-w-0 font-medium wrap-anywhere">
            {name}
          </span>
          {name !== mcpId && <code className="font-mono text-[0.8125rem] wrap-anywhere text-quiet">{mcpId}</code>}
          <StatusBadge status={status} tone={tones[status]}>
            {statusWords[status]}
          </StatusBadge>
          {every !== undefined && <Badge>{every}</Badge>}
        </div>
        <div className="mt-0.5 text-[0.8125rem] text-quiet">
          <Facts>
            {periodText(thing)}
            {sources[source]}
          </Facts>
          {next !== undefined && <span className="block">{next}.</span>}
        </div>
        {features.length > 0 && (
          <ul aria-label={`Features of ${name}`} className="mt-1.5 list-disc pl-4 text-[0.8125rem] text-quiet">
            {features.map((feature, place) => (
              // two features may have the same text
              <li key={`${place}-${feature}`} className="wrap-anywhere">
                {feature}
              </li>
            ))}
          </ul>
        )}
      </div>
      <Button size="small" onClick={onRemove}>
        Remove
        <span dir="auto" className="sr-only">
          {' '}
          {name}
        </span>
      </Button>
    </li>
  );
}
