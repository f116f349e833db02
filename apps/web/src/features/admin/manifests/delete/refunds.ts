import type { deleteManifest } from '@souk/contract/admin/manifests.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { counted, formatMoney } from '#ui/text/amount.ts';
import { listed } from '#web/texts/listed.ts';
import type { Renter } from '../../server/server-queries.ts';

type Refund = NonNullable<Renter['refund']>;
export type RefundResult = AnswerOutput<typeof deleteManifest>['refunds'][number];

/** Limit of refunds per deletion (contract, deleteManifest). */
export const maxRefunds = 1000;

export type ChosenRefunds = ReadonlyMap<string, Refund>;

/** Returns the sum, with one amount per currency: "$12", "$12 and €5". */
export function sumOf(chosen: ChosenRefunds): string {
  const sums = new Map<string, number>();
  for (const { amountCents, currency } of chosen.values()) sums.set(currency, (sums.get(currency) ?? 0) + amountCents);
  return listed([...sums].map(([currency, cents]) => formatMoney(cents, currency)));
}

/** Returns a sentence for each kind of refund that needs attention. Empty if all were paid. */
export function refundsThatNeedAttention(results: readonly RefundResult[]): string[] {
  const count = (result: RefundResult['result']) => results.filter((one) => one.result === result).length;
  const [pending, failed, nothing] = [count('pending'), count('failed'), count('nothing_paid')];
  return [
    ...(pending > 0
      ? [`${counted(pending, 'rental')}: the payment provider didn't answer. We'll retry the refund automatically.`]
      : []),
    ...(failed > 0 ? [`${counted(failed, 'rental')}: the refund failed. Refund it at the payment provider.`] : []),
    ...(nothing > 0 ? [`${counted(nothing, 'rental')}: nothing was paid, so nothing was refunded.`] : []),
  ];
}
