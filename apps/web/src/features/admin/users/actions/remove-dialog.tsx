import type { removeUserSubscription } from '@souk/contract/admin/billing.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { useState } from 'react';
import { formatMoment, formatMoney } from '#ui/text/amount.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { adminApi } from '../../admin-api.ts';
import type { OwnedThing } from '../owned.ts';
import type { UserDialogProps } from './form-dialog.tsx';
import { UserActionDialog } from './user-action-dialog.tsx';

/**
 * Ends a plan, rental, purchase or trial now. The reason is filled in and can be changed; a refund is a separate choice
 * (clarifications, "Dashboard and administration", "Small questions").
 */
export function RemoveDialog({ thing, ...props }: UserDialogProps & { thing: OwnedThing }) {
  const [withRefund, setWithRefund] = useState(false);
  const { refund, isDisputed } = thing;
  return (
    <UserActionDialog
      {...props}
      work="remove"
      reason={{
        draft: `reason.${thing.id}`,
        initial: thing.kind === 'rental' ? 'Rental cancelled by admin' : 'Removed by admin',
      }}
      title={`Remove ${thing.name}?`}
      submitLabel={`Remove ${thing.kind}`}
      variant="danger"
      change={(reason) =>
        adminApi.removeUserSubscription({
          params: { id: props.user.id, subscriptionId: thing.id },
          body: { reason, refund: withRefund ? 'prorata' : 'none' },
        })
      }
      onDone={(removed, toast) => {
        const message = removed.refund ? refundedText(thing, removed, removed.refund) : removed.message;
        if (removed.refund?.result === 'failed') toast.error(message);
        else toast.success(message);
      }}
    >
      <p className="text-quiet">{consequence(thing)}</p>
      {refund && (
        <Checkbox
          label={`Refund ${formatMoney(refund.amountCents, refund.currency)}`}
          hint="For the unused part of the paid period. Otherwise nothing is refunded."
          checked={withRefund}
          onChange={setWithRefund}
        />
      )}
      {isDisputed && (
        <p className="text-quiet">
          {refund ? 'Another part' : 'What was paid for the rest of the period'} is disputed. The bank has that money,
          so it can’t be refunded.
        </p>
      )}
    </UserActionDialog>
  );
}

type Removed = AnswerOutput<typeof removeUserSubscription>;
type Refund = NonNullable<Removed['refund']>;

const refundWords: Readonly<Record<Refund['result'], string>> = {
  refunded: 'was refunded.',
  pending: 'will be refunded.',
  failed: 'could not be refunded. Refund it at the payment provider.',
};

/** Describes the removal with the amount of the refund, in place of the answer's message, which has no amount. */
function refundedText({ kind }: OwnedThing, { atProvider }: Removed, refund: Refund): string {
  const later = atProvider === 'pending' ? " The payment provider didn't answer; we'll retry automatically." : '';
  const amount = formatMoney(refund.amountCents, refund.currency);
  return `The ${kind} has ended.${later} ${amount} ${refundWords[refund.result]}`;
}

function consequence({ kind, endsAt, source }: OwnedThing): string {
  const insteadOf = endsAt === null ? '' : ` instead of on ${formatMoment(endsAt)}`;
  const what = kind === 'subscription' ? 'The plan and the access that comes with it end' : `The ${kind} ends`;
  const payments = source === 'payment' && kind !== 'purchase' ? ' It is canceled at the payment provider too.' : '';
  return `${what} now${insteadOf}.${payments} This cannot be undone.`;
}
