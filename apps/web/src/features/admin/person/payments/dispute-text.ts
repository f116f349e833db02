import type { PersonPayment } from '@souk/contract/admin/person.ts';
import { formatDay } from '#ui/text/amount.ts';

type Dispute = NonNullable<PersonPayment['dispute']>;

export function disputeLabel({ state, dueBy }: Dispute): string {
  const answer = dueBy === null ? '' : `, answer by ${formatDay(dueBy)}`;
  if (state === 'inquiry') return `Bank inquiry${answer}`;
  if (state === 'to-answer') return `Disputed${answer}`;
  return state === 'under-review' ? 'Disputed, under review' : `Dispute ${state}`;
}

export const disputeTexts: Readonly<Record<Dispute['state'], string | undefined>> = {
  inquiry:
    'The bank asks about this payment and has taken nothing yet. Answer it at the payment provider, or refund it.',
  'to-answer':
    'The bank has taken the money. Answer the dispute at the payment provider; until it is decided, no refund can be made.',
  'under-review': 'The bank has the money and your answer. Until it decides, no refund can be made.',
  won: undefined,
  lost: 'The bank has returned the money to the payer, so it cannot be refunded again.',
};
